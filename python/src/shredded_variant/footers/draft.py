"""The draft layout of shredded variants in a file's schema: groups of untyped_value, object, array, typed_value."""

from __future__ import annotations

from shredded_variant.footers.footer import REPEATED, Node
from shredded_variant.footers.leaf import BYTE_ARRAY

NAMES = ("untyped_value", "object", "array", "typed_value")


def is_draft(node: Node) -> bool:
    """Whether the group of a variant has the draft layout."""
    names = {child.name for child in node.children}
    return "untyped_value" in names or (bool(names & set(NAMES)) and not names & {"metadata", "value"})


def is_variant(node: Node) -> bool:
    """Whether a group is a variant although it has no annotation: its fields are those of the draft layout alone."""
    stored = node.child("untyped_value")
    is_plain = node.physical is None and node.repetition != REPEATED and node.logical is None and node.converted is None
    return (
        is_plain
        and all(child.name in NAMES or child.name.startswith("_") for child in node.children)
        and stored is not None
        and stored.physical == BYTE_ARRAY
        and stored.logical is None
        and stored.converted is None
        and stored.repetition != REPEATED
    )


def kind(node: Node) -> str:
    """The layout of the group of a variant: `draft`, `parquet` or `unshredded`."""
    if is_draft(node):
        return "draft"
    return "unshredded" if node.child("typed_value") is None else "parquet"
