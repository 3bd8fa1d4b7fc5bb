"""Every error and warning of this package that a user can meet, each one sentence: what is wrong, where, what to do."""


class ShreddedVariantError(Exception):
    """What all errors of this package have in common."""


class JarMissing(ShreddedVariantError):
    """The package lies there without its jar."""


class SparkMissing(ShreddedVariantError):
    """Spark is needed and not installed."""


class UnsupportedSpark(ShreddedVariantError):
    """A version of Spark that the jar was not compiled for."""


class NotASession(ShreddedVariantError, TypeError):
    """Something else than a session or its builder, or a session that has stopped."""


class UnreadableFile(ShreddedVariantError):
    """A path that does not exist, holds no Parquet file, or a file that is none."""


class PandasMissing(ShreddedVariantError):
    """pandas is needed and not installed."""


class InvalidShape(ShreddedVariantError, ValueError):
    """A text that is no shape."""


class WrongArgument(ShreddedVariantError, ValueError, TypeError):
    """An argument that does not exist, or that cannot have this value."""


class NotAttached(ShreddedVariantError):
    """A session that has not met the jar yet."""


class UnknownColumn(ShreddedVariantError, ValueError):
    """A column that the data does not have, or that is no variant."""


class Refused(ShreddedVariantError):
    """What Spark, or the format in it, has refused in a sentence of its own."""


class PathsLeftOut(UserWarning):
    """A shape, or hot keys, that rest on a part of the paths or keys, because there are too many to count."""
