"""The queries of the bench, and the SQL of a path in each layout."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from benchmarks.leaves import Table, column, quoted
from benchmarks.tables import BLUESKY, CLUSTERED, EVENTS

# The layouts in the order of the report. `eager` is ours without late materialisation; `duckdb` reads our files,
# `duckdb struct` those of the plain struct.
LAYOUTS = ("struct", "flat", "ours", "eager", "unshredded", "spark", "duckdb", "duckdb struct")
# The layouts that read the files of another layout.
FILES_OF = {"eager": "ours", "duckdb": "ours", "duckdb struct": "struct"}


@dataclass(frozen=True)
class Query:
    """SQL with paths in brackets, such as `[user.id bigint]`. `[$]` is the whole document, `{t}` the table."""

    name: str
    table: Table
    sql: str
    # Each bound is a layout and the maximal ratio of our time to the time of that layout.
    bounds: tuple[tuple[str, float], ...]
    # The syntax of a path of a variant: colon, get, try_get or try_cast.
    style: str = "colon"
    # Whether all rows go to a sink that drops them, instead of few rows to the driver.
    to_sink: bool = False
    # Whether layouts without a bound are measured too, for information.
    with_peers: bool = True
    # Seconds that are subtracted from our time before it is compared with the bounds.
    slack: float = 0.0
    # The table is copied until the query of the layout `sized_by` takes `times` times the seconds of the plan.
    sized_by: str = "struct"
    times: float = 1.0

    def sql_for(self, layout: str, table: str) -> str | None:
        """The query for this layout, or None if the layout does not support it."""
        if self.to_sink and layout in ("flat", "duckdb", "duckdb struct"):
            return None
        return _PATH.sub(lambda m: _path(m[1], m[2], layout, self.style), self.sql).replace("{t}", table)

    def checksums(self, layout: str, table: str) -> str:
        """The number of rows and of results of a query with `to_sink`, and two sums that depend on its rows."""
        sql = self.sql_for(layout, table) or ""
        numbered = sql.replace("SELECT ", "SELECT row, ", 1).replace(" FROM ", " AS result FROM ", 1)
        return f"SELECT count(*), count(result), sum(row), sum(hash(row)) FROM ({numbered})"

    def documents(self, layout: str, table: str, every: int) -> str:
        """Whole documents as JSON: of the rows that match the filter; without a filter, of every `every`-th row."""
        document = _path("$", None, layout, self.style)
        rows = (self.sql_for(layout, table) or "").split(" FROM ", 1)[1]
        return (
            f"SELECT row, to_json({document}) FROM {rows if ' WHERE ' in rows else f'{rows} WHERE row % {every} = 0'}"
        )


_PATH = re.compile(r"\[([\w.$]+)(?: ([\w(),]+))?\]")


def _path(path: str, type_: str | None, layout: str, style: str) -> str:
    document = "s" if layout in ("struct", "duckdb struct") else "v"
    if path == "$":
        return document
    if layout == "flat":
        return quoted(column(path))
    if layout == "struct":
        return f"s.{path}"
    if layout.startswith("duckdb"):
        field = ".".join([document, *(f'"{step}"' for step in path.split("."))])
        return f"{field}::{type_}" if type_ and layout == "duckdb" else field
    if style == "colon":
        return f"v:{path}::{type_}" if type_ else f"v:{path}"
    if style == "try_cast":
        return f"try_cast(v:{path} AS {type_})"
    return f"{'try_' if style == 'try_get' else ''}variant_get(v, '$.{path}', '{type_}')"


SUM = "SELECT sum([user.id bigint]) FROM {t}"
PLAIN = (("struct", 0.9), ("flat", 1.1))
NEAR = (("struct", 1.05),)

_CREATED = "[kind string] = 'commit' AND [commit.operation string] = 'create'"
_POSTS = f"{_CREATED} AND [commit.collection string] = 'app.bsky.feed.post'"
_TIME = "timestamp_micros([time_us bigint])"

# Spark's own shredding takes about 60 times as long as the struct. So in comparisons with it, its time decides the
# number of copies: with the copies for the struct it takes a minute, and one copy takes mainly the fixed time of a
# query.
BESIDE = " (beside Spark)"
SECONDS_OF_SPARK = 8.0

_RANGE = "[ts bigint] BETWEEN 1700000200000000 AND 1700000200900000"
_SCATTERED = "[id bigint] % 1000 = 7"


def _beside_spark(query: Query, limit: float) -> tuple[Query, Query]:
    """The query, and the same query for the comparison with Spark's own shredding."""
    query = replace(query, with_peers=False)
    beside = replace(
        query,
        name=query.name + BESIDE,
        bounds=(("spark", limit),),
        sized_by="spark",
        times=SECONDS_OF_SPARK,
        slack=0.0,
    )
    return query, beside


def _clustered(name: str, result: str, limit: float, to_sink: bool = False) -> tuple[Query, Query]:
    """A query of 900 adjacent rows of 3 million, and the same query for the comparison with Spark's own shredding."""
    sql = f"SELECT {result} FROM {{t}} WHERE {_RANGE}"
    return _beside_spark(Query(name, EVENTS, sql, (("struct", 1.0),), slack=0.05, to_sink=to_sink), limit)


def _jsonbench(name: str, table: Table, bounds: tuple[tuple[str, float], ...]) -> tuple[Query, ...]:
    return (
        Query(
            f"{name} 1, collections",
            table,
            "SELECT [commit.collection string] event, count(*) n FROM {t} GROUP BY event ORDER BY n DESC",
            bounds,
        ),
        Query(
            f"{name} 2, with users",
            table,
            "SELECT [commit.collection string] event, count(*) n, count(DISTINCT [did string]) users FROM {t} "
            f"WHERE {_CREATED} GROUP BY event ORDER BY n DESC",
            bounds,
            # Most of the first second is Spark's aggregation, whose times vary by 20 % for the same files.
            times=2.0,
        ),
        Query(
            f"{name} 3, by hour",
            table,
            f"SELECT [commit.collection string] event, hour({_TIME}) hour_of_day, count(*) n FROM {{t}} "
            f"WHERE {_CREATED} AND [commit.collection string] "
            "IN ('app.bsky.feed.post', 'app.bsky.feed.repost', 'app.bsky.feed.like') "
            "GROUP BY event, hour_of_day ORDER BY hour_of_day, event",
            bounds,
        ),
        Query(
            f"{name} 4, first posters",
            table,
            f"SELECT [did string] user_id, min({_TIME}) first_post FROM {{t}} WHERE {_POSTS} "
            "GROUP BY user_id ORDER BY first_post LIMIT 3",
            bounds,
        ),
        Query(
            f"{name} 5, longest activity",
            table,
            # JSONBench's query lacks the second key, which makes the result unique.
            f"SELECT [did string] user_id, unix_millis(max({_TIME})) - unix_millis(min({_TIME})) span FROM {{t}} "
            f"WHERE {_POSTS} GROUP BY user_id ORDER BY span DESC, user_id LIMIT 3",
            bounds,
        ),
    )


QUERIES = (
    Query("sum, v:user.id::bigint", EVENTS, SUM, PLAIN),
    Query("sum, try_cast(v:user.id)", EVENTS, SUM, PLAIN, style="try_cast", with_peers=False),
    Query("sum, variant_get", EVENTS, SUM, PLAIN, style="get"),
    Query("sum, try_variant_get", EVENTS, SUM, PLAIN, style="try_get", with_peers=False),
    Query(
        "group, distinct, filter",
        EVENTS,
        "SELECT [type string], count(DISTINCT [user.id bigint]) FROM {t} WHERE [quantity bigint] > 4 GROUP BY 1",
        (("struct", 1.0),),
        # As in JSONBench's second query.
        times=4.0,
    ),
    Query("rare path IS NOT NULL", EVENTS, "SELECT count(*) FROM {t} WHERE [promo.code] IS NOT NULL", NEAR),
    Query(
        "join on a path",
        EVENTS,
        "SELECT p.team, count(*), sum([quantity bigint]) FROM {t} JOIN people p ON [user.id bigint] = p.id GROUP BY 1",
        NEAR,
    ),
    Query(
        "sort by a path, limit",
        EVENTS,
        "SELECT [amount decimal(12,2)] a, [ts bigint] b FROM {t} ORDER BY a DESC, b LIMIT 100",
        NEAR,
    ),
    Query("sum, 1 % residual", EVENTS, "SELECT sum([mixed_1 bigint]) FROM {t}", (("struct", 1.2),)),
    Query("sum, 10 % residual", EVENTS, "SELECT sum([mixed_10 bigint]) FROM {t}", (("struct", 2.0),)),
    Query(
        "to_json(v), all rows",
        EVENTS,
        "SELECT to_json([$]) FROM {t}",
        (("struct", 1.1), ("unshredded", 0.7)),
        to_sink=True,
    ),
    Query("whole v, handed on", EVENTS, "SELECT [$] FROM {t}", (("spark", 0.45),), to_sink=True),
    *_clustered("count, 0.03 % clustered", "count(*)", 1 / 8),
    *_clustered("to_json(v) of 0.03 % clustered", "to_json([$])", 1 / 15, to_sink=True),
    Query(
        "to_json(v) of 0.1 % scattered",
        EVENTS,
        f"SELECT to_json([$]) FROM {{t}} WHERE {_SCATTERED}",
        (("eager", 0.5), ("struct", 1.0)),
        to_sink=True,
        with_peers=False,
    ),
    # Addresses and hashes with 59 to 70 characters.
    Query(
        "wide strings of 0.1 % scattered",
        BLUESKY,
        "SELECT count(DISTINCT concat([commit.cid string], [commit.record.subject.cid string], "
        "[commit.record.subject.uri string])) FROM {t} WHERE [time_us bigint] % 1000 = 7",
        (("eager", 0.5), ("struct", 1.0)),
        with_peers=False,
    ),
    Query(
        "a filter that all rows pass",
        EVENTS,
        "SELECT max([session string]), max([page.url string]), max([geo.ip string]), sum([user.id bigint]) FROM {t} "
        "WHERE [quantity bigint] + 1 > 0",
        (("eager", 1.05),),
        with_peers=False,
    ),
    Query(
        "four cheap columns at 5 %",
        EVENTS,
        "SELECT sum([user.age bigint]), sum([device.width bigint]), sum([page.load_ms bigint]), "
        "sum([device.height bigint]) FROM {t} WHERE [user.id bigint] % 20 = 3",
        (("eager", 1.05),),
        with_peers=False,
    ),
    *_jsonbench("JSONBench", BLUESKY, NEAR),
    *(q for query in _jsonbench("Clustered", CLUSTERED, (("struct", 1.0),)) for q in _beside_spark(query, 0.2)),
)
