"""Actions that run at the same time."""

from concurrent.futures import ThreadPoolExecutor


def at_once(action, arguments):
    """Runs an action for each argument, all at the same time, and raises the first error of any."""
    with ThreadPoolExecutor(len(arguments)) as pool:
        for done in [pool.submit(action, argument) for argument in arguments]:
            done.result()
