"""Each kind of map in each kind of file reads as written: whole, by key, by size and by its keys."""

import functools
import json

import pytest

from map_cases import FORMS, MAPS, ODD_KEYS, hot, quoted
from map_files import footer
from parquet_cells import only_file
from path_queries import Pair, Rows, frozen, outcome
from tables import write

SCHEMA = "id INT, m MAP<STRING, STRING>"
CASES = {name: m for name, m in MAPS.items() if "odd" not in name}
CASES |= {f"the odd key {key!a}": {key: "o", "cold": "c"} for key in ODD_KEYS}
CASES |= {f"a NULL of the odd key {key!a}": {"a": "1", key: None} for key in ODD_KEYS[::3]}
CASES |= {"all odd keys": MAPS["all odd keys"], "odd keys with NULL": MAPS["odd keys with NULL"]}
FILES = {
    "hot keys": hot("m", ["a", "b", *ODD_KEYS]),
    "hot keys the other way round": hot("m", [*reversed(ODD_KEYS), "b", "a"]),
    "other hot keys": hot("m", ["never", "c", *ODD_KEYS[::2]]),
    "chosen hot keys": {
        "parquet.map.shredding.columns": "m", "parquet.map.shredding.m.infer": "true",
        "parquet.map.shredding.m.minFrequency": "0.05", "shredding.pin": "none"},
    "no hot keys": {},
}  # fmt: skip
LOOKUPS = [form.format(m="m") for form in FORMS.values()]
LOOKUPS += [form.format(k=quoted(key)) for key in ODD_KEYS for form in ("m[{k}]", "map_contains_key(m, {k})")]


@pytest.fixture(scope="module")
def answers(spark, tmp_path_factory):
    """(ours, Spark's): for each id the map of a case in a file, and the result of each lookup."""
    pair = Pair(spark, tmp_path_factory.mktemp("map-cases"))
    frames = [
        (spark.createDataFrame([(1000 * f + i, m) for i, m in enumerate(CASES.values())], SCHEMA), options)
        for f, options in enumerate(FILES.values())
    ]
    pair.add("mixed", frames)
    result = []
    for session in (pair.ours, pair.spark):
        answer = outcome(
            session, f"SELECT id, m, {', '.join(f'{e} AS e{i}' for i, e in enumerate(LOOKUPS))} FROM mixed"
        )
        assert isinstance(answer, Rows), answer
        result.append({row[0]: row[1:] for row in answer.rows})
    yield result
    pair.drop("mixed")


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("case", CASES)
def test_a_map_in_a_file(answers, case, file):
    id = 1000 * list(FILES).index(file) + list(CASES).index(case)
    ours, spark = (answer[id] for answer in answers)
    assert ours[0] == spark[0] == frozen(CASES[case])
    for lookup, actual, expected in zip(LOOKUPS, ours[1:], spark[1:], strict=True):
        assert actual == expected, lookup


def test_chosen_hot_keys_are_odd_ones_too(spark, tmp_path):
    rows = spark.createDataFrame([(i, dict.fromkeys(ODD_KEYS, "x")) for i in range(9)], SCHEMA).coalesce(1)
    file = only_file(write(rows, tmp_path / "t", **FILES["chosen hot keys"]))
    assert sorted(json.loads(footer(file)["paimon.map.shredding.m.keys"])) == sorted(ODD_KEYS)


# ---- tables of several files, nested maps ----

SOME = "CASE WHEN id = 1 THEN NULL WHEN id = 2 THEN map() WHEN id = 3 THEN map('a', NULL, 'b', 'x')" \
    " ELSE map('a', string(id), 'b', 'b', 'c', NULL, 'cold', string(-id)) END"  # fmt: skip
ASKED = ["{m}", "{m}['a']", "{m}.b", "element_at({m}, 'c')", "{m}['cold']", "map_contains_key({m}, 'a')", "size({m})",
         "sort_array(map_keys({m}))", "array_sort(map_values({m}))", "{m} IS NULL"]  # fmt: skip
# The hot keys of the files of a table, one after the other.
EVOLUTIONS = {
    "a key becomes hot": ([], ["a"]),
    "a hot key becomes cold": (["a", "b"], ["b"]),
    "hot keys change places": (["a", "b"], ["b", "a"]),
    "hot keys are added": (["a"], ["a", "b"], ["a", "b", "c"]),
    "all hot keys are others": (["a", "b"], ["c", "cold"]),
    "no keys are hot any more": (["a", "b", "c", "cold"], []),
}
# The SQL of a column that holds the map, the path to the map, and the maps with hot keys.
NESTED = {
    "in a struct": ("named_struct('m', {m}, 'n', id) AS s", "s.m", "s.m"),
    "in a struct that is NULL": ("IF(id % 4 = 1, NULL, named_struct('m', {m})) AS s", "s.m", "s.m"),
    "in structs in structs": ("named_struct('t', named_struct('n', id, 'm', {m})) AS s", "s.t.m", "s.t.m"),
    "under names with dots": ("named_struct('d.m', {m}) AS `x.y`", "`x.y`.`d.m`", "`x.y`.`d.m`"),
    "beside another map": ("named_struct('m', {m}, 'n', map('a', 1, 'x', id)) AS s", "s.m", "s.m,s.n"),
    "in a map": ("map('a', {m}, 'b', NULL, 'cold', {m}) AS m", "m['a']", "m"),
    "in a map as a cold value": ("map('a', {m}, 'b', NULL, 'cold', {m}) AS m", "m['cold']", "m"),
    "in a struct in a map": ("map('b', named_struct('m', {m})) AS m", "m['b'].m", "m"),
    "in an array": ("array(NULL, {m}) AS m", "element_at(m, 2)", ""),
}


def compared(spark, folder, frames, path):
    pair = Pair(spark, folder)
    pair.add("nested", frames)
    try:
        result = pair.column_differences([e.format(m=path) for e in ASKED], source="nested")
        for where in ("{m}['a'] IS NOT NULL", "{m}['a'] > '4' AND {m} IS NOT NULL", "{m}['cold'] = '-7'"):
            query = f"SELECT id FROM nested WHERE {where.format(m=path)}"
            result[where] = pair.difference(query, must_answer=True)
    finally:
        pair.drop("nested")
    differences = [difference for difference in result.values() if difference]
    assert not differences, "\n".join(differences)


@pytest.fixture
def rows(spark):
    return functools.partial(spark.range(0, 9, 1, 1).selectExpr, "CAST(id AS INT) AS id")


@pytest.mark.parametrize("name", EVOLUTIONS)
def test_files_with_other_hot_keys_are_one_table(spark, tmp_path, rows, name):
    frames = [(rows(f"{SOME} AS m"), hot("m", keys) if keys else {}) for keys in EVOLUTIONS[name]]
    compared(spark, tmp_path, frames, "m")


@pytest.mark.parametrize("name", NESTED)
def test_a_nested_map(spark, tmp_path, rows, name):
    made, path, columns = NESTED[name]
    first, *more = columns.split(",")
    options = hot(first, ["b", "a"], **{column: ["a"] for column in more}) if first else {}
    df = rows(made.format(m=SOME))
    compared(spark, tmp_path, [(df, options), (df, {})], path)
