"""The version of this package and the path of its jar."""

from importlib import metadata
from pathlib import Path

from shredded_variant.errors import JarMissing

__version__ = metadata.version("shredded-variant")


def jar_path() -> Path:
    """The jar inside this package, for `spark-submit --jars` or the class path of a server."""
    folder = Path(__file__).resolve().parent / "jars"
    jars = sorted(folder.glob("shredded-variant_*.jar"))
    if len(jars) != 1:
        raise JarMissing(
            f"{folder} holds {len(jars)} jars instead of one: install the wheel that `make wheel` leaves in dist/."
        )
    return jars[0]
