"""The demo: writes JSON documents as a shredded table, shows what its files hold, and queries it."""

from __future__ import annotations

import io
import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shredded_variant.commands.quiet import stderr_into
from shredded_variant.errors import SparkMissing, UnreadableFile
from shredded_variant.footers.layout import Layout
from shredded_variant.footers.read import layout
from shredded_variant.jobs.metrics import read_and_skipped
from shredded_variant.jobs.session import attach
from shredded_variant.render import size

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KINDS = ("view", "view", "view", "click", "click", "search", "purchase", "error")


def demo(path: str | None = None, rows: int = 20_000) -> None:
    """Runs the demo in a new directory at this path, or in a temporary directory."""
    if path is not None and os.path.exists(path):
        raise UnreadableFile(f"{path} exists already: give the demo a new directory.")
    with tempfile.TemporaryDirectory(prefix="shredded-variant-demo-", ignore_cleanup_errors=True) as temporary:
        folder = Path(path or temporary).absolute()
        folder.mkdir(parents=True, exist_ok=True)
        _step("A Spark session with the format `shredded_variant`")
        _code("spark = shredded_variant.attach(SparkSession.builder).getOrCreate()")
        spark = _session(folder)
        try:
            _run(spark, folder, rows)
        finally:
            spark.stop()
    kept = "To keep the tables, run `shredded-variant demo PATH` with a new directory."
    print(f"\n{kept if path is None else f'The tables are in {folder}.'}")


def _run(spark: SparkSession, folder: Path, rows: int) -> None:
    documents = folder / "events.json"
    with documents.open("w") as file:
        file.writelines(json.dumps(event) + "\n" for event in events(rows))
    _step(f"{rows:,} JSON documents, {size(documents.stat().st_size)}: nested, with mixed types and missing fields")
    with documents.open() as file:
        for _ in range(3):
            line = file.readline().rstrip()
            print("  " + (line if len(line) <= 96 else line[:95] + "…"))

    _step("Write them: the paths that many documents have become typed columns")
    _code(
        'df = spark.read.text("events.json").selectExpr("parse_json(value) AS event")',
        'df.write.format("shredded_variant").save("events")',
    )
    df = spark.read.text(documents.as_uri()).selectExpr("parse_json(value) AS event")
    shredded, plain = folder / "events", folder / "events_unshredded"
    df.write.format("shredded_variant").save(shredded.as_uri())
    df.write.format("shredded_variant").option("shredding", "off").save(plain.as_uri())

    _step("Show what its files hold, from the footers alone")
    _code('print(shredded_variant.layout("events"))')
    shredded_layout = layout(shredded)
    print(_indented(str(shredded_layout).replace(str(shredded), "events")))
    _print_sizes(documents.stat().st_size, shredded_layout, layout(plain))

    _step("Query it like any table")
    _code('spark.read.format("shredded_variant").load("events").createOrReplaceTempView("events")')
    spark.read.format("shredded_variant").load(shredded.as_uri()).createOrReplaceTempView("events")
    spark.read.format("shredded_variant").load(plain.as_uri()).createOrReplaceTempView("unshredded")
    for i, query in enumerate(QUERIES):
        print(end="\n" if i else "")
        _query(spark, query)
    _step("Filter it: files and row groups that cannot match are skipped")
    _query(spark, RANGE)

    _step("Read whole documents, also their values without a typed column")
    _query(spark, WHOLE)
    same = _same(spark)
    print(f"\n  All {rows:,} documents equal those of the unshredded table: {'yes' if same else 'NO'}")


QUERIES = (
    """SELECT event:user.country::string AS country, count(*) AS purchases,
       sum(event:amount::decimal(12,2)) AS amount
FROM events WHERE event:kind::string = 'purchase' GROUP BY ALL ORDER BY amount DESC LIMIT 3""",
    """SELECT schema_of_variant(event:user.id) AS type_of_user_id, count(*) AS documents
FROM events GROUP BY ALL ORDER BY documents DESC""",
    """SELECT tag.value::string AS tag, count(*) AS documents
FROM events, LATERAL variant_explode(event:tags) AS tag GROUP BY ALL ORDER BY ALL LIMIT 3""",
)
RANGE = """SELECT count(*) AS clicks FROM events
WHERE event:id::bigint BETWEEN 12000 AND 12100 AND event:kind::string = 'click'"""
WHOLE = """SELECT to_json(event) FROM events
WHERE event:detail.code IS NOT NULL ORDER BY event:at::string LIMIT 2"""


def _same(spark: SparkSession) -> bool:
    rows = "SELECT to_json(event) AS document, count(*) AS n FROM {} GROUP BY ALL"
    return not any(
        spark.sql(f"{rows.format(a)} EXCEPT {rows.format(b)}").head(1)
        for a, b in (("events", "unshredded"), ("unshredded", "events"))
    )


def events(rows: int) -> Iterator[dict[str, Any]]:
    """Generated documents, the same in every run."""
    rnd = random.Random(43)
    for i in range(rows):
        kind = rnd.choice(KINDS)
        user: dict[str, Any] = {"id": 1000 + rnd.randrange(3000), "country": rnd.choice(("DE", "FR", "IN", "JP", "US"))}
        event: dict[str, Any] = {"id": i, "kind": kind, "at": f"2026-0{1 + i % 9}-{1 + i % 28:02}T{i % 24:02}:30:00"}
        if rnd.random() < 0.95:
            event["user"] = user
        if rnd.random() < 0.02:
            user["id"] = rnd.choice((f"guest-{rnd.randrange(100)}", None))
        if kind == "purchase":
            event["amount"] = rnd.randrange(100, 50_000) / 100
        if rnd.random() < 0.6:
            event["tags"] = rnd.sample(("mobile", "new", "promo", "beta", "vip"), rnd.randrange(4))
        if kind == "error":
            event["detail"] = {"code": rnd.choice((404, 500, "E_IO")), "trace": [f"frame {n}" for n in range(3)]}
        yield event


def _session(folder: Path) -> SparkSession:
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SparkMissing(
            "The demo needs Spark, and pyspark is not installed: pip install 'pyspark>=4.3,<4.4'."
        ) from None
    builder = SparkSession.builder.master("local[2]").appName("shredded-variant demo")
    settings = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "UTC",
        # Small splits of the input, so that the write makes several files.
        "spark.sql.files.maxPartitionBytes": "640k",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
    }
    for name, setting in settings.items():
        builder = builder.config(name, setting)
    with stderr_into(folder / "spark.log"):
        return attach(builder).getOrCreate()


def _query(spark: SparkSession, query: str) -> None:
    _code(f'spark.sql("""{query}""").show()')
    frame = spark.sql(query)
    rows = frame.collect()
    with redirect_stdout(io.StringIO()) as table:
        spark.createDataFrame(rows, frame.schema).show(truncate=90)
    print(_indented(table.getvalue()))
    print(f"  {read_and_skipped(frame)}")


def _print_sizes(json_bytes: int, shredded: Layout, plain: Layout) -> None:
    sizes = {"the JSON documents": json_bytes, "unshredded": plain.bytes, "shredded": shredded.bytes}
    print()
    for name, count in sizes.items():
        print(f"  {name:<20} {size(count):>10}  {100 * count / json_bytes:3.0f}%")


def _step(heading: str) -> None:
    print(f"\n\033[1m▸ {heading}\033[0m" if sys.stdout.isatty() else f"\n▸ {heading}", flush=True)


def _code(*lines: str) -> None:
    for line in "\n".join(lines).split("\n"):
        print(f"  > {line}")
    sys.stdout.flush()


def _indented(text: str) -> str:
    return "\n".join(f"  {line}".rstrip() for line in text.rstrip().split("\n"))
