"""Shows a progress bar on a terminal during long Spark jobs, and cancels the jobs of a caller that fails."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Protocol, TextIO

# Seconds until the bar appears, and between two updates.
DELAY = 1.5
INTERVAL = 0.25
WIDTH = 30


class Jobs(Protocol):
    """The Spark jobs that this thread starts."""

    def counts(self) -> tuple[int, int]:
        """The number of completed tasks, and of all tasks of the stages that have started."""

    def end(self, failed: bool) -> None: ...


@contextmanager
def progress(session: Any, name: str, out: TextIO | None = None) -> Iterator[None]:
    """Shows the progress of the jobs that the body runs in this thread, if they take long and `out` is a terminal."""
    jobs = _jobs(session)
    out = out or sys.stderr
    bar = _Bar(name, jobs, out) if _is_terminal(out) and not _spark_shows_bars(session) else None
    failed = True
    try:
        yield
        failed = False
    finally:
        if bar is not None:
            bar.erase()
        jobs.end(failed)


def _jobs(session: Any) -> Jobs:
    return _ConnectJobs(session) if is_connect(session) else _ClassicJobs(session.sparkContext)


def is_connect(session: Any) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect.")


class _ClassicJobs:
    """Jobs of a classic session, marked by a tag, so that the job group stays free for the user."""

    def __init__(self, context: Any) -> None:
        self.context = context
        self.tag = f"shredded-variant-{uuid.uuid4()}"
        context.addJobTag(self.tag)

    def counts(self) -> tuple[int, int]:
        tracker = self.context.statusTracker()
        jobs = (tracker.getJobInfo(i) for i in self.context._jsc.sc().statusTracker().getJobIdsForTag(self.tag))
        stages = {i for job in jobs if job is not None for i in job.stageIds}
        infos = [s for s in map(tracker.getStageInfo, stages) if s is not None]
        # A stage that is skipped, or that waits for another one, has neither active nor completed tasks.
        started = [s for s in infos if s.numActiveTasks or s.numCompletedTasks]
        return sum(s.numCompletedTasks for s in started), sum(s.numTasks for s in started)

    def end(self, failed: bool) -> None:
        if failed:
            self.context.cancelJobsWithTag(self.tag)
        self.context.removeJobTag(self.tag)


class _ConnectJobs:
    """Jobs of a Connect session, as the server reports them; the client itself interrupts an operation that fails."""

    def __init__(self, session: Any) -> None:
        self.session = session
        self.thread = threading.get_ident()
        self.reported = (0, 0)
        session.registerProgressHandler(self.handle)

    def handle(self, stages: Any, inflight_tasks: int, operation_id: str | None, done: bool) -> None:
        if threading.get_ident() == self.thread:
            started = list(stages or ())
            self.reported = sum(s.num_completed_tasks for s in started), sum(s.num_tasks for s in started)

    def counts(self) -> tuple[int, int]:
        return self.reported

    def end(self, failed: bool) -> None:
        self.session.removeProgressHandler(self.handle)


class _Bar:
    """A thread that shows one line after DELAY seconds and then rewrites it."""

    def __init__(self, name: str, jobs: Jobs, out: TextIO) -> None:
        self.name = name
        self.jobs = jobs
        self.out = out
        self.started = time.monotonic()
        self.stop = threading.Event()
        self.thread = threading.Thread(target=self.run, name=f"progress of {name}", daemon=True)
        self.thread.start()

    def run(self) -> None:
        shown = False
        pause = DELAY
        while not self.stop.wait(pause):
            try:
                line = self.line(*self.jobs.counts())
            except Exception:
                # The counts fail if, for example, the session is stopped. The caller gets that error from its job.
                break
            self.write(f"\r{line}\x1b[K")
            shown = True
            pause = INTERVAL
        if shown:
            self.write("\r\x1b[K")

    def line(self, done: int, tasks: int) -> str:
        seconds = int(time.monotonic() - self.started)
        clock = f"{seconds // 60}:{seconds % 60:02}"
        if not tasks:
            return f"{self.name}  {clock}"[: self.columns() - 1]
        share = min(done / tasks, 1)
        text = f"{100 * share:3.0f}%  {done:,} of {tasks:,} tasks  {clock}"
        width = min(WIDTH, self.columns() - len(self.name) - len(text) - 5)
        full, empty = ("━", "─") if self.can_write("━─") else ("#", "-")
        bar = full * round(width * share)
        parts = [self.name, bar + empty * (width - len(bar)), text] if width >= 5 else [self.name, text]
        return "  ".join(parts)[: self.columns() - 1]

    def columns(self) -> int:
        try:
            return os.get_terminal_size(self.out.fileno()).columns or 80
        except (OSError, ValueError):
            return shutil.get_terminal_size().columns

    def can_write(self, text: str) -> bool:
        try:
            text.encode(self.out.encoding or "ascii")
        except (UnicodeError, LookupError):
            return False
        return True

    def write(self, text: str) -> None:
        self.out.write(text)
        self.out.flush()

    def erase(self) -> None:
        self.stop.set()
        self.thread.join()


def _is_terminal(out: TextIO | None) -> bool:
    return out is not None and out.isatty() and os.environ.get("TERM") != "dumb"


def _spark_shows_bars(session: Any) -> bool:
    """Whether Spark shows progress bars, as in its shells: two bars would overwrite each other."""
    if is_connect(session):
        return os.environ.get("SPARK_CONNECT_PROGRESS_BAR_ENABLED") == "1"
    setting: str = session.sparkContext.getConf().get("spark.ui.showConsoleProgress", "false")
    return setting.lower() == "true"
