"""The errors and warnings of this package. Each message is one sentence: what is wrong, where, what to do."""


class ShreddedVariantError(Exception):
    """The base class of all errors of this package."""


class JarMissing(ShreddedVariantError):
    """The installed package does not contain its jar."""


class SparkMissing(ShreddedVariantError):
    """The function needs Spark, and pyspark is not installed."""


class UnsupportedSpark(ShreddedVariantError):
    """The jar is not compiled for this version of Spark."""


class NotASession(ShreddedVariantError, TypeError):
    """The argument is neither a session nor a builder, or the session is stopped."""


class UnreadableFile(ShreddedVariantError):
    """The path does not exist, holds no Parquet file, or holds a file that cannot be read."""


class PandasMissing(ShreddedVariantError):
    """The function needs pandas, which is not installed."""


class InvalidShape(ShreddedVariantError, ValueError):
    """The text is not a shape."""


class WrongArgument(ShreddedVariantError, ValueError, TypeError):
    """The argument does not exist, or it does not accept this value."""


class NotAttached(ShreddedVariantError):
    """The session does not have the jar."""


class UnknownColumn(ShreddedVariantError, ValueError):
    """The data does not have the column, or the column is neither a variant nor a map with string keys."""


class Refused(ShreddedVariantError):
    """Spark or the data source refused the operation; the message is their sentence."""


class PathsLeftOut(UserWarning):
    """A shape, or hot keys, are inferred from a part of the paths or keys, because there are too many to count."""


def check_type(function: str, argument: object, wanted: type, instead: str) -> None:
    """Refuses an argument of another type; `instead` says what to pass."""
    if not isinstance(argument, wanted):
        name = type(argument).__name__
        given = f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"
        what = "text" if wanted is str else wanted.__name__
        raise WrongArgument(f"{function} takes a {what} and was given {given}: {instead}.")
