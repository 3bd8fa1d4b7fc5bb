"""The queries of the acceptance table, and the spelling of a path in each layout."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from benchmarks.leaves import Table, column, quoted
from benchmarks.tables import BLUESKY, CLUSTERED, EVENTS

# In the order in which they are shown. `eager` is ours without late materialisation; `duckdb` reads our files,
# `duckdb struct` those of the plain struct.
LAYOUTS = ("struct", "flat", "ours", "eager", "unshredded", "spark", "duckdb", "duckdb struct")
# Which files a layout has, where they are not its own.
FILES_OF = {"eager": "ours", "duckdb": "ours", "duckdb struct": "struct"}


@dataclass(frozen=True)
class Query:
    """SQL with paths in brackets, `[user.id bigint]`; `[$]` is the whole document. `{t}` is the table."""

    name: str
    table: Table
    sql: str
    # Ours may take at most this share of that layout's time.
    bounds: tuple[tuple[str, float], ...]
    # How a variant's path is spelled: colon, get, try_get or try_cast.
    style: str = "colon"
    # Whether every row is handed on to a sink that drops it, instead of few rows to the driver.
    hands_on: bool = False
    # Whether layouts without a bound are measured too, for information.
    with_peers: bool = True
    # Seconds that ours may take on top of a bound's share.
    slack: float = 0.0
    # The table is read so often that this layout's query takes so many times the planned second.
    sized_by: str = "struct"
    times: float = 1.0

    def spelled(self, layout: str, table: str) -> str | None:
        """The query for this layout, or None where it has no such thing."""
        if self.hands_on and layout in ("flat", "duckdb", "duckdb struct"):
            return None
        return _PATH.sub(lambda m: _spell(m[1], m[2], layout, self.style), self.sql).replace("{t}", table)

    def found(self, layout: str, table: str) -> str:
        """How many rows a query that hands on gives, and two sums that tell which."""
        sql = self.spelled(layout, table) or ""
        numbered = sql.replace("SELECT ", "SELECT row, ", 1).replace(" FROM ", " AS given FROM ", 1)
        return f"SELECT count(*), count(given), sum(row), sum(hash(row)) FROM ({numbered})"

    def documents(self, layout: str, table: str, every: int) -> str:
        """Whole documents as JSON: those of the rows that the filter finds; without a filter, one in so many."""
        document = _spell("$", None, layout, self.style)
        rows = (self.spelled(layout, table) or "").split(" FROM ", 1)[1]
        return (
            f"SELECT row, to_json({document}) FROM {rows if ' WHERE ' in rows else f'{rows} WHERE row % {every} = 0'}"
        )


_PATH = re.compile(r"\[([\w.$]+)(?: ([\w(),]+))?\]")


def _spell(path: str, type_: str | None, layout: str, style: str) -> str:
    document = "s" if layout in ("struct", "duckdb struct") else "v"
    if path == "$":
        return document
    if layout == "flat":
        return quoted(column(path))
    if layout == "struct":
        return f"s.{path}"
    if layout.startswith("duckdb"):
        at = ".".join([document, *(f'"{step}"' for step in path.split("."))])
        return f"{at}::{type_}" if type_ and layout == "duckdb" else at
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

# Spark's own shredding takes seconds where the struct takes hundredths. So beside it a query is sized by Spark's: where
# the struct takes a second it would take a minute, and over one copy of a table most is what any query costs.
BESIDE = " (beside Spark)"
SECONDS_OF_SPARK = 8.0

_RANGE = "[ts bigint] BETWEEN 1700000200000000 AND 1700000200900000"
_SCATTERED = "[id bigint] % 1000 = 7"


def _beside_spark(query: Query, limit: float) -> tuple[Query, Query]:
    """The query, and the same beside Spark's own shredding, which takes minutes where the struct takes a second."""
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
            # Of the first second nearly all is Spark's aggregation, whose times differ by a fifth for the same files.
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
            # Published without the second key, which only settles ties.
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
        hands_on=True,
    ),
    Query("whole v, handed on", EVENTS, "SELECT [$] FROM {t}", (("spark", 0.45),), hands_on=True),
    # 900 of 3 million rows, which stand side by side.
    *_beside_spark(
        Query(
            "count, 0.03 % clustered",
            EVENTS,
            f"SELECT count(*) FROM {{t}} WHERE {_RANGE}",
            (("struct", 1.0),),
            slack=0.05,
            with_peers=False,
        ),
        1 / 8,
    ),
    *_beside_spark(
        Query(
            "to_json(v) of 0.03 % clustered",
            EVENTS,
            f"SELECT to_json([$]) FROM {{t}} WHERE {_RANGE}",
            (("struct", 1.0),),
            slack=0.05,
            hands_on=True,
            with_peers=False,
        ),
        1 / 15,
    ),
    Query(
        "to_json(v) of 0.1 % scattered",
        EVENTS,
        f"SELECT to_json([$]) FROM {{t}} WHERE {_SCATTERED}",
        (("eager", 0.5), ("struct", 1.0)),
        hands_on=True,
        with_peers=False,
    ),
    # Addresses and hashes of 59 to 70 characters.
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
