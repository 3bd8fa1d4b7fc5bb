"""One entry of what `layout` finds."""


def entry(found, path, column="v"):
    return next(e for e in found.entries if (e.column, e.path) == (column, path))
