"""Parses the text of the option `shredding.shape`, by the grammar of the data source's `ShapeParser`."""

from __future__ import annotations

from typing import NoReturn

from shredded_variant.errors import InvalidShape
from shredded_variant.shapes.tree import VARIANT, Tree

SIMPLE = (
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ",
    "TIMESTAMP_NANOS", "TIMESTAMP_NTZ_NANOS", "BINARY", "STRING", "UUID",
)  # fmt: skip
SCALARS = {name: name for name in SIMPLE} | {
    "BYTE": "TINYINT", "SHORT": "SMALLINT", "INTEGER": "INT", "LONG": "BIGINT", "REAL": "FLOAT",
    "TIMESTAMP_LTZ": "TIMESTAMP",
}  # fmt: skip
DECIMALS = {"DECIMAL", "DEC", "NUMERIC"}
TYPES = SCALARS.keys() | DECIMALS | {"STRUCT", "ARRAY", VARIANT}
MAX_DEPTH = 500
MAX_PRECISION = 38
# The white space of the data source's grammar, which has no no-break spaces.
SPACE = frozenset(
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2008\u2009\u200a\u2028\u2029\u205f"
    "\u3000"
)


def parse(text: str) -> Tree:
    return _Parser(text).whole()


class _Parser:
    """Parses the text in one pass. Open structs and arrays are in a list, so that deep nesting needs no recursion."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Tree:
        self.skip_space()
        if self.at == len(self.text):
            self.fail("it is empty")
        # After the first word, a single type ends or opens `<` or `(`, and a field goes on with its type.
        start = self.at
        first = "" if self.text[start] == "`" else self.word("a type or a field name")
        self.skip_space()
        is_type = first.upper() in TYPES and self.text[self.at : self.at + 1] in ("", "<", "(")
        self.at = start
        tree = self.type() if is_type else self.fields()
        self.skip_space()
        if self.at < len(self.text):
            self.fail("nothing more was expected" if is_type else "a comma or the end was expected")
        return tree

    def fields(self) -> Tree:
        """Parses a list of fields without `STRUCT<…>` around it."""
        fields: dict[str, Tree] = {}
        while True:
            start, name = self.field_name()
            self.put(fields, start, name, self.type(levels=1))
            if not self.accept(","):
                return fields

    def type(self, levels: int = 0) -> Tree:
        # The open structs and arrays, each with the start and the name of its current field.
        opened: list[tuple[dict[str, Tree] | list[Tree], int, str]] = []
        while True:
            done = self.type_or_opening()
            if not isinstance(done, str):
                if len(opened) + levels == MAX_DEPTH:
                    self.fail(f"it is nested deeper than {MAX_DEPTH} levels")
                self.expect("<")
                opened.append((done, *(self.field_name() if isinstance(done, dict) else (0, ""))))
                continue
            closed: Tree | None = done
            while closed is not None and opened:
                closed = self.close(opened, closed)
            if closed is not None:
                return closed

    def close(self, opened: list[tuple[dict[str, Tree] | list[Tree], int, str]], done: Tree) -> Tree | None:
        """Adds a type to the struct or array that encloses it, and returns that one if it ends here."""
        into, start, name = opened.pop()
        if isinstance(into, list):
            into.append(done)
        else:
            self.put(into, start, name, done)
            if self.accept(","):
                opened.append((into, *self.field_name()))
                return None
        self.expect(">")
        return into

    def type_or_opening(self) -> str | dict[str, Tree] | list[Tree]:
        self.skip_space()
        start = self.at
        name = self.word("a type")
        upper = name.upper()
        if upper == "STRUCT":
            return {}
        if upper == "ARRAY":
            return []
        if upper == VARIANT:
            return VARIANT
        if upper in DECIMALS:
            return self.decimal(start)
        if upper not in SCALARS:
            self.at = start
            self.fail(f"'{clip(name)}' is not a type")
        return SCALARS[upper]

    def decimal(self, start: int) -> str:
        precision, scale = 10, 0
        if self.accept("("):
            precision = self.number()
            scale = self.number() if self.accept(",") else 0
            self.expect(")")
        if not 1 <= precision <= MAX_PRECISION or scale > precision:
            self.at = start
            self.fail(f"a decimal has 1 to {MAX_PRECISION} digits and a scale of at most as many")
        return f"DECIMAL({precision},{scale})"

    def field_name(self) -> tuple[int, str]:
        """Parses a name and the colon that may follow it; returns the start of the name, and the name."""
        self.skip_space()
        start = self.at
        name = self.quoted() if self.text.startswith("`", start) else self.word("a field name")
        if not is_unicode(name):
            self.at = start
            self.fail("the name holds half of a surrogate pair")
        self.accept(":")
        return start, name

    def quoted(self) -> str:
        name = ""
        while True:
            self.at += 1
            end = self.text.find("`", self.at)
            if end < 0:
                self.at = len(self.text)
                self.fail("a backtick is not closed")
            name += self.text[self.at : end]
            self.at = end + 1
            if not self.text.startswith("`", self.at):
                return name
            name += "`"

    def word(self, wanted: str) -> str:
        start = self.at
        while self.at < len(self.text) and _is_word(self.text[self.at]):
            self.at += 1
        if self.at == start:
            self.fail(f"{wanted} was expected")
        return self.text[start : self.at]

    def number(self) -> int:
        self.skip_space()
        start = self.at
        while self.at < len(self.text) and _is_word(self.text[self.at]) and self.text[self.at].isdecimal():
            self.at += 1
        # The data source's grammar has no larger numbers.
        if not 0 < self.at - start <= 10 or int(self.text[start : self.at]) >= 1 << 31:
            self.at = start
            self.fail("a number was expected")
        return int(self.text[start : self.at])

    def put(self, fields: dict[str, Tree], start: int, name: str, tree: Tree) -> None:
        if name in fields:
            self.at = start
            self.fail(f"the field '{clip(name)}' stands there twice")
        fields[name] = tree

    def accept(self, c: str) -> bool:
        self.skip_space()
        is_next = self.text.startswith(c, self.at)
        self.at += is_next
        return is_next

    def expect(self, c: str) -> None:
        if not self.accept(c):
            self.fail(f"'{c}' was expected")

    def skip_space(self) -> None:
        while self.at < len(self.text) and self.text[self.at] in SPACE:
            self.at += 1

    def fail(self, reason: str) -> NoReturn:
        raise InvalidShape(
            f"The shape '{clip(self.text)}' does not parse at character {self.at + 1} ({reason}): "
            "write it as a Spark type, such as `a BIGINT, b STRUCT<c STRING>`, `ARRAY<DOUBLE>` or `DECIMAL(12,2)`."
        )


def _is_word(c: str) -> bool:
    return c == "_" or ((c.isalpha() or c.isdecimal()) and c < "\U00010000")


def is_unicode(name: str) -> bool:
    return not any("\ud800" <= c <= "\udfff" for c in name)


def clip(text: str) -> str:
    """At most 80 characters of a text, on one line."""
    start = "".join(c if c.isprintable() else " " for c in text[:81])
    return start if len(start) <= 80 else start[:77] + "…"
