"""Finds one entry in the result of `layout`."""


def entry(found, path, column="v"):
    return next(e for e in found.entries if (e.column, e.path) == (column, path))
