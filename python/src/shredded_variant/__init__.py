"""VARIANT columns that are fast on Parquet: the Python side of the Spark data source `shredded_variant`."""

from shredded_variant.errors import ShreddedVariantError
from shredded_variant.footers.hot_keys import HotKeys
from shredded_variant.footers.layout import Layout
from shredded_variant.footers.read import layout
from shredded_variant.jobs.infer import infer_shape
from shredded_variant.jobs.maintain import Rewritten, compact, reshred, unshred
from shredded_variant.jobs.session import attach
from shredded_variant.jobs.verify import Finding, Report, verify
from shredded_variant.package import __version__, jar_path
from shredded_variant.shapes.shape import Shape

__all__ = [
    "Finding",
    "HotKeys",
    "Layout",
    "Report",
    "Rewritten",
    "Shape",
    "ShreddedVariantError",
    "__version__",
    "attach",
    "compact",
    "infer_shape",
    "jar_path",
    "layout",
    "reshred",
    "unshred",
    "verify",
]
