"""Python and the data source parse texts to the same shapes, print these alike, and refuse the same texts."""

import random
import re

import pytest

from random_shapes import random_ddl
from shredded_variant import Shape, ShreddedVariantError
from tables import causes

# Texts that are shapes, also with unusual names and spaces.
SHAPES = [
    "BIGINT", "  bigint ", "decimal( 12 , 2 )", "DECIMAL", "NUMERIC(5)", "dec(007)", "byte", "short", "integer",
    "long", "real", "timestamp_ltz", "UUID", "TIME", "TIMESTAMP_NANOS", "TIMESTAMP_NTZ_NANOS", "variant",
    "ARRAY<ARRAY<VARIANT>>", "a BIGINT", "STRUCT<a: BIGINT>", "a: BIGINT, b :INT",
    "struct < a\tINT ,\n b array < int > >", "int INT", "STRUCT INT", "ARRAY INT", "bıgınt", "array ARRAY<INT>",
    "decimal decimal",
    "A INT, a INT", "`a b` INT, `c``d` INT", "```` INT, `` INT", "`a`INT,`b`INT", "2a INT", "é ARRAY<INT>",
    "名前 STRING", "٣ INT", "DECIMAL(٣,٢)", "\u3000a\u2003INT\u3000", "bıgint INT", "_ INT", "`😀` INT, `\uffee` INT",
    "`\x00` INT", "`a\nb` INT", "`\u00a0` INT", "a" * 1000 + " INT", "a STRUCT<`>` INT>",
    "ARRAY<" * 500 + "INT" + ">" * 500, "a STRUCT<" * 249 + "a INT" + ">" * 249,
]  # fmt: skip
# Texts that are not shapes: typing errors, and characters that only look like letters, digits or spaces.
NONE = [
    "", " ", "BIGNIT", "a BIGNIT", "a INT,", "a INT b INT", "a INT, a STRING", "`a` INT, a INT", "STRUCT<>",
    "ARRAY<INT", "ARRAY<INT>>", "ARRAY<>", "ARRAY", "STRUCT<a INT", "STRUCT<a>", "DECIMAL(39,2)",
    "DECIMAL(2,3)", "DECIMAL(0)", "DECIMAL()", "DECIMAL(1", "DECIMAL(-1)", "DECIMAL(99999999999)",
    "DECIMAL(4294967306)", "a DECIMAL(2,3)", "`a INT", "```", "``a` INT", "MAP<STRING, INT>", "a INTERVAL DAY",
    "UUIDS", "a b c d", "VOID", ",", "INT, INT", "a-b INT", "INT(5)", "a\u00a0INT", "😀 INT", "² INT", "½ INT",
    "a INT;", "bıgıns", "`a` `b`", "a ``", "ARRAY<" * 501, "a " + "ARRAY<" * 500, "STRUCT<a " * 501,
    "a STRUCT<" * 500, "a" * 1000, "a INT\u2028b", "STRUCT<a INT,>",
]  # fmt: skip


@pytest.fixture(scope="module")
def data_source(spark):
    """The DDL of the shape that the data source parses, or its refusal."""
    parser = spark._jvm.shreddedvariant.layout.ShapeParser

    def read(text):
        try:
            return parser.parse(text).ddl()
        except Exception as e:
            ours = next(message for _, message in causes(e) if message.startswith("[SHREDDED_VARIANT_SHAPE] "))
            return ours.removeprefix("[SHREDDED_VARIANT_SHAPE] ")

    return read


def python(text):
    try:
        return Shape.parse(text).ddl()
    except ShreddedVariantError as e:
        return str(e)


def on_one_line(text):
    return "".join(c if c.isprintable() else " " for c in text)


@pytest.mark.parametrize("text", SHAPES, ids=lambda t: ascii(t[:30]))
def test_python_and_the_data_source_parse_and_print_the_same_shapes(data_source, text):
    ddl = data_source(text)
    assert "does not parse" not in ddl
    assert python(text) == ddl
    assert data_source(ddl) == python(ddl) == ddl


@pytest.mark.parametrize("text", NONE, ids=lambda t: ascii(t[:30]))
def test_python_and_the_data_source_refuse_the_same_texts(data_source, text):
    refusal = data_source(text)
    assert "does not parse at character" in refusal
    # Python shows a text of several lines on one line.
    assert python(text) == on_one_line(refusal)


def test_python_and_the_data_source_parse_generated_texts_to_the_same_shapes(data_source):
    rnd = random.Random(5)
    for _ in range(300):
        text = random_ddl(rnd)
        assert data_source(text) == python(text)
        # With one other character, both parse the text to the same shape, or refuse it at the same place.
        at = rnd.randrange(len(text) + 1)
        slip = text[:at] + rnd.choice([" ", ",", "<", ">", "`", "(", ")", ":", "a", "1", ""]) + text[at + 1 :]
        said = [on_one_line(read(slip)) for read in (data_source, python)]
        if "😀" in slip:
            # The data source counts and cuts off characters in UTF-16.
            said = [re.sub(r"^.*does not parse at character \d+", "", text) for text in said]
        assert said[0] == said[1]
