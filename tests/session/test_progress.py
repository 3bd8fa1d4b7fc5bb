"""The progress bar is shown on a terminal, for long jobs, until they end; interrupted jobs are cancelled."""

import io
import re
import sys
import threading
import time

import pytest
from pyspark import inheritable_thread_target

from programs import finished_in, python
from shredded_variant import infer_shape
from shredded_variant.jobs import progress


class Terminal(io.StringIO):
    """A terminal that keeps all that was written to it, as one text."""

    encoding = "utf-8"

    def isatty(self):
        return True

    def lines(self):
        """Each rewritten line; the last line is empty if the bar is gone."""
        return [line.removesuffix("\x1b[K") for line in self.getvalue().split("\r")[1:]]


class Jobs:
    """A job with one more finished task for each second of the test's own clock."""

    def __init__(self, *counts):
        self.left = list(counts)
        self.ended = None

    def counts(self):
        return self.left.pop(0) if len(self.left) > 1 else self.left[0]

    def end(self, failed):
        self.ended = failed


@pytest.fixture
def run(monkeypatch):
    """Shows a bar for these jobs, for some seconds or until some lines are written; gives the terminal's text."""
    monkeypatch.setattr(progress, "INTERVAL", 0.01)
    monkeypatch.setattr(progress, "DELAY", 0.1)
    monkeypatch.setattr(progress, "_spark_shows_bars", lambda session: False)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")

    def run(jobs, seconds=0.0, out=None, name="infer_shape", lines=0):
        monkeypatch.setattr(progress, "_jobs", lambda session: jobs)
        out = out or Terminal()
        with progress.progress(None, name, out):
            time.sleep(seconds)
            late = time.monotonic() + 30
            while out.getvalue().count("\r") < lines and time.monotonic() < late:
                time.sleep(0.01)
        return out

    return run


def test_a_long_job_shows_its_progress_and_erases_the_line_at_its_end(run):
    lines = run(Jobs((0, 0), (0, 40), (10, 40), (40, 40)), lines=4).lines()
    assert lines[:4] == [
        "infer_shape  0:00",
        "infer_shape  " + "─" * 30 + "    0%  0 of 40 tasks  0:00",
        "infer_shape  " + "━" * 8 + "─" * 22 + "   25%  10 of 40 tasks  0:00",
        "infer_shape  " + "━" * 30 + "  100%  40 of 40 tasks  0:00",
    ]
    assert lines[-1] == ""


def test_a_short_job_shows_nothing(run):
    assert run(Jobs((1, 2)), 0).getvalue() == ""


def test_nothing_is_shown_without_a_terminal(run, monkeypatch):
    assert run(Jobs((1, 2)), 0.3, io.StringIO()).getvalue() == ""
    monkeypatch.setenv("TERM", "dumb")
    assert run(Jobs((1, 2)), 0.3).getvalue() == ""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(progress, "_spark_shows_bars", lambda session: True)
    assert run(Jobs((1, 2)), 0.3).getvalue() == ""
    monkeypatch.setattr(sys, "stderr", None)
    with progress.progress(None, "infer_shape"):
        pass


@pytest.mark.parametrize("columns", [20, 30, 50, 80, 200])
def test_the_line_fits_the_terminal(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    lines = run(Jobs((123_456, 1_234_567)), lines=2, name="compact /a/path").lines()
    assert all(len(line) < columns for line in lines)
    assert lines[0].startswith("compact /a/path"[: columns - 1])


def test_a_terminal_without_unicode_gets_ascii(run):
    out = Terminal()
    out.encoding = "ascii"
    run(Jobs((1, 2)), out=out, lines=2)
    assert "#" * 15 + "-" * 15 in out.lines()[0]


def test_counts_that_fail_end_the_bar_and_not_the_job(run):
    assert run(Jobs(None), 0.2).getvalue() == ""


def test_the_jobs_of_a_body_that_fails_are_cancelled_and_others_are_not(run):
    jobs = Jobs((1, 2))
    run(jobs, 0)
    assert jobs.ended is False
    for error in (ValueError, KeyboardInterrupt):
        with pytest.raises(error), progress.progress(None, "x", Terminal()):
            raise error
        assert jobs.ended is True


def test_only_the_tasks_of_the_body_are_counted_in_a_classic_session(spark, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.05)
    monkeypatch.setattr(progress, "INTERVAL", 0.05)
    spark.range(0, 3, 1, 3).foreach(lambda row: None)
    terminal = Terminal()
    with progress.progress(spark, "a job", terminal):
        spark.range(0, 8, 1, 8).foreach(lambda row: time.sleep(0.2))
    tasks = [line for line in terminal.lines() if " of 8 tasks" in line]
    assert tasks and terminal.lines()[-1] == ""
    done = [int(re.search(r"(\d+) of 8", line)[1]) for line in tasks]
    assert done == sorted(done) and any(0 < n < 8 for n in done)
    assert not list(spark.sparkContext.getJobTags())


def test_the_running_job_of_a_thread_that_fails_is_cancelled(spark):
    done = []

    def job():
        spark.range(0, 2, 1, 2).foreach(lambda row: time.sleep(5))
        done.append(True)

    with pytest.raises(ValueError, match="left"), progress.progress(spark, "a job", io.StringIO()):
        # The thread inherits the tag of this one.
        thread = threading.Thread(target=inheritable_thread_target(spark)(job))
        thread.start()
        while not spark.sparkContext.statusTracker().getActiveJobsIds():
            time.sleep(0.05)
        raise ValueError("left")
    thread.join(10)
    assert not done and not spark.sparkContext.statusTracker().getActiveJobsIds()


def test_infer_shape_shows_and_erases_the_bar(spark, monkeypatch):
    monkeypatch.setattr(progress, "DELAY", 0.05)
    monkeypatch.setattr(progress, "INTERVAL", 0.05)
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)
    slow = spark.range(0, 8, 1, 8).selectExpr("IF(reflect('java.lang.Thread', 'sleep', 250L) IS NOT NULL, "
                                              "parse_json('{\"a\": 1}'), NULL) AS v")  # fmt: skip
    shape = infer_shape(slow, "v")
    assert shape.ddl() == "STRUCT<a BIGINT>"
    assert all(line.startswith("infer_shape") for line in terminal.lines()[:-1])
    done = [int(result[1]) for line in terminal.lines() if (result := re.search(r"(\d+) of [89] tasks", line))]
    assert done == sorted(done) and any(0 < n < 8 for n in done)
    assert terminal.lines()[-1] == ""


CONNECTED = """
    import io
    import shredded_variant
    from shredded_variant.jobs import progress

    class Terminal(io.StringIO):
        encoding = "utf-8"
        def isatty(self):
            return True

    os.environ["TERM"] = "xterm"
    spark = shredded_variant.attach(calm(SparkSession.builder.remote("local[2]"))).getOrCreate()
    progress.DELAY = progress.INTERVAL = 0.05
    document = "parse_json('{\\"a\\": 1}')"
    sleep = "reflect('java.lang.Thread', 'sleep', 250L) IS NOT NULL"
    slow = spark.range(0, 40, 1, 40).selectExpr(f"IF({sleep}, {document}, NULL) AS v")
    screen, terminal = sys.stderr, Terminal()
    sys.stderr = terminal
    shape = shredded_variant.infer_shape(slow, "v").ddl()
    sys.stderr = screen
    print(json.dumps([type(spark).__module__, shape, terminal.getvalue().split("\\r")[1:]]))
"""


def test_infer_shape_shows_and_erases_the_bar_over_connect(tmp_path):
    module, shape, lines = python(tmp_path, CONNECTED, SPARK_TESTING="")
    assert module == "pyspark.sql.connect.session"
    assert shape == "STRUCT<a BIGINT>"
    done = [int(result[1]) for line in lines if (result := re.search(r"(\d+) of \d+ tasks", line))]
    assert done == sorted(done) and any(0 < n < 40 for n in done)
    assert lines[-1] == "\x1b[K"


INTERRUPTED = """
    import signal, time
    from shredded_variant.jobs.progress import progress
    remote = len(sys.argv) > 1
    builder = SparkSession.builder.remote("local[2]") if remote else None
    spark = calm(builder).getOrCreate()
    spark.range(1).collect()
    threading.Timer(3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    seen = {"kind": type(spark).__module__}
    started = time.monotonic()
    try:
        with progress(spark, "a job"):
            spark.range(0, 400, 1, 400).selectExpr("reflect('java.lang.Thread', 'sleep', 250L)").collect()
    except KeyboardInterrupt:
        seen["interrupted"] = time.monotonic() - started < 20
    if remote:
        seen["running"] = spark.interruptAll()
    else:
        time.sleep(1)
        seen["running"] = list(spark.sparkContext.statusTracker().getActiveJobsIds())
    seen["next"] = spark.range(3).count()
    print(json.dumps(seen))
"""


@pytest.mark.parametrize("kind", ["classic", "connect"])
def test_ctrl_c_cancels_the_jobs_and_the_session_can_run_others(tmp_path, kind):
    done = finished_in(kind, tmp_path, INTERRUPTED)
    module = "pyspark.sql.connect.session" if kind == "connect" else "pyspark.sql.session"
    assert f'"kind": "{module}", "interrupted": true, "running": [], "next": 3' in done.stdout.split("\n")[-2]
