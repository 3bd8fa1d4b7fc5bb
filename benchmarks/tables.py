"""The tables of the bench: events, objects of 1,000 and of 10 fields, and generated rows like those of JSONBench."""

from __future__ import annotations

from dataclasses import replace

from benchmarks.leaves import Leaf, Table, pick, quoted, random

TYPES = ["view", "click", "scroll", "search", "cart", "order", "login", "logout", "share", "rate", "error", "ping"]
COUNTRIES = ["DE", "FR", "US", "BR", "IN", "JP", "NG", "GB", "ES", "IT", "PL", "NL", "SE", "MX", "CA", "AU"]
CITIES = ["Berlin", "Lyon", "Austin", "Recife", "Pune", "Osaka", "Lagos", "Leeds", "Sevilla", "Torino"]
PAGES = ["home", "product", "basket", "checkout", "account", "help", "search", "blog"]


def _skewed(salt: str, bound: int) -> str:
    """SQL of a number from 0 to bound - 1, of which small ones are more frequent."""
    return f"CAST(pow({random(salt, 1_000_000)} / 1e6D, 2) * {bound} AS BIGINT)"


def _mixed(path: str, percent: int) -> Leaf:
    """A number that is a string, and so residual, in this share of the documents; casts give the same number."""
    name = quoted(path)
    text = f"{random(path + '?', 100)} < {percent}"
    document = f"CASE WHEN {text} THEN CAST(CAST({name} AS STRING) AS VARIANT) ELSE CAST({name} AS VARIANT) END"
    return Leaf(path, "BIGINT", random(path, 1_000_000), document)


EVENTS = Table(
    "events",
    files=8,
    helpers={"h_user": _skewed("user", 100_000)},
    leaves=(
        Leaf("id", "BIGINT", "row"),
        Leaf("ts", "BIGINT", f"1700000000000000 + row * 1000 + {random('ts', 1000)}"),
        Leaf("type", "STRING", pick(TYPES, _skewed("type", len(TYPES)))),
        Leaf("session", "STRING", "lpad(hex(xxhash64(row div 20)), 16, '0')"),
        Leaf("user.id", "BIGINT", "h_user"),
        Leaf("user.name", "STRING", "concat('user-', h_user)"),
        Leaf("user.country", "STRING", pick(COUNTRIES, f"h_user % {len(COUNTRIES)}")),
        Leaf("user.plan", "STRING", pick(["free", "plus", "team"], "h_user % 3")),
        Leaf("user.age", "BIGINT", "18 + h_user % 60"),
        Leaf("user.premium", "BOOLEAN", "h_user % 7 = 0"),
        Leaf("geo.lat", "DECIMAL(9,6)", f"CAST(({random('lat', 180_000_000)} - 90000000) / 1e6 AS DECIMAL(9,6))"),
        Leaf("geo.lon", "DECIMAL(9,6)", f"CAST(({random('lon', 360_000_000)} - 180000000) / 1e6 AS DECIMAL(9,6))"),
        Leaf("geo.city", "STRING", pick(CITIES, f"h_user % {len(CITIES)}")),
        Leaf("geo.ip", "STRING", f"concat('10.', {random('b', 8)}, '.', {random('c', 256)}, '.', {random('d', 256)})"),
        Leaf("device.os", "STRING", pick(["android", "ios", "windows", "macos", "linux"], _skewed("os", 5))),
        Leaf("device.browser", "STRING", pick(["chrome", "safari", "firefox", "edge"], _skewed("browser", 4))),
        Leaf("device.version", "STRING", f"concat({random('major', 40)}, '.', {random('minor', 10)})"),
        Leaf("device.width", "BIGINT", f"320 + 40 * {random('width', 60)}"),
        Leaf("device.height", "BIGINT", f"480 + 40 * {random('height', 40)}"),
        Leaf("page.url", "STRING", f"concat('/', {pick(PAGES, random('page', 8))}, '/', {_skewed('item', 50_000)})"),
        Leaf("page.referrer", "STRING", f"CASE WHEN {random('ref', 10)} < 7 THEN {pick(PAGES, random('from', 8))} END"),
        Leaf("page.load_ms", "BIGINT", _skewed("load", 8_000)),
        Leaf("amount", "DECIMAL(12,2)", f"CAST({_skewed('amount', 500_000)} / 100 AS DECIMAL(12,2))"),
        Leaf("tax", "DECIMAL(12,2)", f"CAST({_skewed('tax', 90_000)} / 100 AS DECIMAL(12,2))"),
        Leaf("quantity", "BIGINT", random("quantity", 10)),
        Leaf("currency", "STRING", pick(["EUR", "USD", "GBP", "JPY"], _skewed("currency", 4))),
        # The JSON text of numbers below 0.001 has an exponent, so `parse_json` reads a double and not a decimal.
        Leaf("score", "DOUBLE", f"(1 + {random('score', 998_000)}) / 1e9D"),
        Leaf(
            "tags",
            "ARRAY<STRING>",
            f"transform(sequence(0, CAST({random('tags', 4)} AS INT)), i -> concat('tag', (row + i * 7) % 50))",
        ),
        Leaf("promo.code", "STRING", "concat('PROMO', row % 97)"),
        _mixed("mixed_1", 1),
        _mixed("mixed_10", 10),
    ),
    present={"promo": f"{random('promo', 1000)} = 0"},
)


def _fields(name: str, count: int) -> Table:
    """Objects with the field f0 and 9 of the other fields in each row; `count` changes only the number of columns."""
    others = [
        Leaf(f"f{i}", "BIGINT", f"CASE WHEN row % {(count - 1) // 9} = {(i - 1) // 9} THEN {random(i, 1000)} END")
        for i in range(1, count)
    ]
    return Table(name, (Leaf("f0", "BIGINT", random("f0", 1 << 30)), *others), files=8)


WIDE = _fields("wide", 1_000)
NARROW = _fields("narrow", 10)


def _text(salt: str, length: int) -> str:
    """SQL of random hexadecimal digits, which compress to about half their size."""
    return f"substr(sha2(concat('{salt}', row), 256), 1, {length})"


def _did(number: str) -> str:
    return f"concat('did:plc:', substr(md5(CAST({number} AS STRING)), 1, 24))"


def _post(salt: str) -> str:
    """SQL of the address of a post."""
    author = _did(_skewed(salt, 300_000))
    return f"concat('at://', {author}, '/app.bsky.feed.post/3l', {_text(salt, 11)})"


def _hash(salt: str) -> str:
    """SQL of the hash of a record."""
    return f"concat('bafyrei', {_text(salt, 52)})"


def _reference(path: str, salt: str) -> tuple[Leaf, Leaf]:
    """The hash and the address of a post."""
    return Leaf(f"{path}.cid", "STRING", _hash(salt)), Leaf(f"{path}.uri", "STRING", _post(salt))


def _event(kind: str, name: str, type_: str, sql: str) -> list[Leaf]:
    """The leaves of an event of an account, in the order of their names: two that both kinds have, and one more."""
    both = [Leaf(f"{kind}.did", "STRING", "h_author"), Leaf(f"{kind}.seq", "BIGINT", "3952000000 + row")]
    return sorted([*both, Leaf(f"{kind}.{name}", type_, sql)], key=lambda leaf: leaf.path)


# In percent of the commits.
_COLLECTIONS = {
    "app.bsky.feed.like": 44.6,
    "app.bsky.graph.follow": 33.9,
    "app.bsky.feed.post": 8.4,
    "app.bsky.feed.repost": 7.74,
    "app.bsky.graph.block": 2.5,
    "app.bsky.graph.listitem": 1.29,
    "app.bsky.actor.profile": 0.9,
    "app.bsky.feed.threadgate": 0.4,
    "app.bsky.feed.postgate": 0.17,
    "app.bsky.graph.list": 0.1,
}


def _by_share(number: str, shares: dict[str, float]) -> str:
    """SQL of one of the names, by a number from 0 to 99,999."""
    until, cases = 0.0, ""
    for name, share in shares.items():
        until += share * 1000
        cases += f" WHEN {number} < {round(until)} THEN '{name}'"
    return f"CASE{cases} END"


_POST = "h_collection = 'app.bsky.feed.post'"
_TIME = f"1732206349000000 + row * 2000 + {random('time', 2000)}"
_MADE = "date_format(timestamp_micros(h_moment), \"yyyy-MM-dd'T'HH:mm:ss.SSS'Z'\")"

# Of the rows, 99.4 % are commits: 95.5 % create, 3.9 % delete, 0.6 % update. `subject` is an object in 50 % of all rows
# (likes, reposts) and a string in 36 % (follows, blocks, list items).
BLUESKY = Table(
    "bluesky",
    files=8,
    helpers={
        "h_moment": _TIME,
        "h_author": _did(_skewed("author", 250_000)),
        "h_kind": _by_share(random("kind", 100_000), {"commit": 99.4, "identity": 0.3, "account": 0.3}),
        "h_operation": _by_share(random("operation", 100_000), {"create": 95.5, "delete": 3.9, "update": 0.6}),
        "h_collection": _by_share(random("collection", 100_000), _COLLECTIONS),
    },
    leaves=(
        Leaf("did", "STRING", "h_author"),
        Leaf("time_us", "BIGINT", "h_moment"),
        Leaf("kind", "STRING", "h_kind"),
        Leaf("commit.rev", "STRING", f"concat('3l', {_text('rev', 11)})"),
        Leaf("commit.operation", "STRING", "h_operation"),
        Leaf("commit.collection", "STRING", "h_collection"),
        Leaf("commit.rkey", "STRING", f"concat('3l', {_text('rkey', 11)})"),
        Leaf("commit.cid", "STRING", f"CASE WHEN h_operation <> 'delete' THEN {_hash('cid')} END"),
        Leaf("commit.record.$type", "STRING", "h_collection"),
        Leaf("commit.record.createdAt", "STRING", _MADE),
        *_reference("commit.record.subject", "subject"),
        Leaf(
            "commit.record.subject_did",
            "STRING",
            f"CASE WHEN h_collection LIKE 'app.bsky.graph.%' AND h_collection <> 'app.bsky.graph.list' "
            f"THEN {_did(_skewed('followed', 300_000))} END",
            instead_of="commit.record.subject",
        ),
        Leaf(
            "commit.record.text",
            "STRING",
            f"CASE WHEN {_POST} THEN array_join(transform(sequence(0, CAST({random('words', 24)} AS INT)), "
            f"i -> concat('word', pmod(xxhash64(row, i), 4000L))), ' ') END",
        ),
        Leaf(
            "commit.record.langs",
            "ARRAY<STRING>",
            f"CASE WHEN {_POST} AND {random('lang', 10)} > 0 "
            f"THEN array({pick(['en', 'ja', 'pt', 'de', 'es'], _skewed('lang', 5))}) END",
        ),
        *_reference("commit.record.reply.parent", "parent"),
        *_reference("commit.record.reply.root", "root"),
        *_event("identity", "handle", "STRING", "concat(substr(h_author, 9, 8), '.bsky.social')"),
        *_event("account", "active", "BOOLEAN", f"{random('active', 4)} > 0"),
    ),
    present={
        "commit": "h_kind = 'commit'",
        "commit.record": "h_operation <> 'delete'",
        "commit.record.subject": "h_collection IN ('app.bsky.feed.like', 'app.bsky.feed.repost')",
        "commit.record.reply": f"{_POST} AND {random('reply', 10)} < 6",
        "identity": "h_kind = 'identity'",
        "account": "h_kind = 'account'",
    },
)

# The same rows in the order of their collections.
CLUSTERED = replace(BLUESKY, name="clustered", clustered_by=("h_collection", "row"))
