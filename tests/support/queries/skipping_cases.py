"""A table of pages with known values, and for each filter what it must read and must not."""

ROWS, PAGE = 8000, 100  # rows
# Options of a write: pages of PAGE rows, and row groups of a few thousand.
SMALL_GROUPS = {
    "parquet.page.row.count.limit": str(PAGE), "parquet.block.size": "200000", "parquet.enable.dictionary": "false",
    "parquet.block.size.row.check.min": "100", "parquet.block.size.row.check.max": "100",
}  # fmt: skip
SHAPE = (
    "n BIGINT, i INT, d DOUBLE, m DECIMAL(12,2), s STRING, b BOOLEAN, l ARRAY<BIGINT>, "
    "o STRUCT<p: BIGINT>, mixed BIGINT, rare STRING, big BIGINT, nulls BIGINT"
)
# `n` and most other fields grow with `id`; `mixed` is text in the second quarter and a JSON null in the third.
DOCUMENT = """
    named_struct(
        'n', id, 'i', CAST(id AS INT), 'm', CAST(id / 4 AS DECIMAL(12,2)),
        's', concat('é', lpad(id, 5, '0')), 'b', id >= 4000,
        'l', array(id, id + 1), 'o', named_struct('p', id), 'k', id,
        'big', id * 1000000
    )
"""
VARIANT = f"""
    CASE WHEN id % 1000 = 999 THEN NULL ELSE parse_json(concat(
        substr(to_json({DOCUMENT}), 1, length(to_json({DOCUMENT})) - 1),
        CASE WHEN id < 2000 THEN concat(',"mixed":', id) WHEN id < 4000 THEN concat(',"mixed":"', id, '"')
             WHEN id < 6000 THEN ',"mixed":null' ELSE concat(',"mixed":', id) END,
        CASE WHEN id BETWEEN 3000 AND 3010 THEN ',"rare":"x"' ELSE '' END, ',"nulls":null,"d":', id, '.5e0}}'))
    END
"""

# (filter, the greatest number of rows that may be read)
HITS = [
    ("v:n::bigint = 4321", PAGE),
    ("4321 = v:n::bigint", PAGE),
    ("v:n::int = 4321", PAGE),
    ("v:n::smallint = 4321", PAGE),
    ("v:n::double = 4321", PAGE),
    ("v:n::decimal(20,4) = 4321.0", PAGE),
    ("v:i::int = 4321", PAGE),
    ("v:i::bigint < 50", PAGE),
    ("50 > v:i::bigint", PAGE),
    ("50 >= v:i::bigint", PAGE),
    ("v:i::bigint >= 7990", PAGE),
    ("7990 <= v:i::bigint", PAGE),
    ("7990 < v:i::bigint", PAGE),
    ("4321 <=> v:n::bigint", PAGE),
    ("v:b::boolean <> false AND v:n::bigint < 4050", 2 * PAGE),
    ("v:n::bigint BETWEEN 4300 AND 4350", PAGE),
    ("NOT (v:n::bigint < 7950)", 2 * PAGE),
    ("v:n::bigint IN (17, 4321)", 2 * PAGE),
    ("v:n::bigint IN (3, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14)", PAGE),
    ("v:n::bigint <=> 4321", PAGE),
    ("v:n::bigint = 17 OR v:n::bigint = 4321", 2 * PAGE),
    ("v:n::bigint > 4320 AND v:d::double <= 4390", 2 * PAGE),
    ("v:n::bigint > 4320 AND v:n::bigint < 4330", PAGE),
    ("v:d::double = 4321.5", PAGE),
    ("v:m::decimal(12,2) = 1080.25", PAGE),
    ("v:m::double < 10", PAGE),
    ("v:s::string = 'é04321'", PAGE),
    ("v:s::string LIKE 'é0432%'", PAGE),
    ("v:s::string LIKE 'é0432_'", PAGE),
    ("startswith(v:s::string, 'é0432')", PAGE),
    ("v:s::string > 'é07950'", 2 * PAGE),
    ("v:l[0]::bigint = 4321", 2 * PAGE),
    ("v:o.p::bigint = 4321", PAGE),
    ("id = 4321", PAGE),
    ("id IN (1, 4321)", 2 * PAGE),
    ("plain.x = 4321", PAGE),
    ("plain.y = '4321'", ROWS // 4),
    ("id < 30 OR v:n::bigint > 7990", 2 * PAGE),
    ("(id < 30 AND v:s::string LIKE '%1') OR v:n::bigint = 4321", 2 * PAGE),
    ("try_variant_get(v, '$.mixed', 'int') BETWEEN 100 AND 120", 2000 + 2 * PAGE),
    ("try_variant_get(v, '$.mixed', 'int') > 7990", 2000 + 2 * PAGE),
    ("v:rare::string = 'x'", 3 * PAGE),
    ("v:rare::string IS NOT NULL", 3 * PAGE),
    ("v:rare IS NOT NULL", 3 * PAGE),
    ("try_variant_get(v, '$.big', 'int') IS NULL", ROWS - 1900),
    ("v:b::boolean AND v:n::bigint < 4050", 2 * PAGE),
    ("NOT v:b::boolean AND v:n::bigint > 3950", 2 * PAGE),
]
MISSES = [
    "v:n::bigint < 0",
    "0 > v:n::bigint",
    "8000 <= v:n::bigint",
    "v:n::bigint = 8000",
    "v:n::int > 100000",
    "v:n::bigint IN (-1, 8001)",
    "v:n::bigint = 5 AND v:n::bigint = 4321",
    "v:d::double > 8000",
    "isnan(v:d::double)",
    "v:s::string = 'e00000'",
    "v:s::string LIKE 'f%'",
    "v:l[1]::bigint > 8000",
    "v:n.more::int IS NOT NULL",
    "v:nulls::bigint IS NOT NULL",
    "v:nulls::bigint = 3",
    "id < 0",
    "id IS NULL",
    "plain.x IS NULL",
    "try_variant_get(v, '$.mixed', 'int') = 5 AND id = 9000",
]
# All rows have to be read.
WHOLE = [
    "v:s::string LIKE '%99'",
    "v:k::bigint = 4321",
    "v:n::string = '4321'",
    "v:n::bigint + 1 = 4321",
    "v:n::bigint <> 4321",
    "v:n::bigint NOT IN (17, 4321)",
    "8000 > v:n::bigint OR v:n IS NULL",
    "v:n::bigint = v:i::bigint",
    "v:s::string COLLATE UTF8_LCASE = ('É04321' COLLATE UTF8_LCASE)",
    "v:n IS NOT NULL",
    "v:never::int = 3",
    "v:n::bigint IS NOT NULL",
    "length(v:s::string) = 7",
]
