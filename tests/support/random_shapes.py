"""Random shapes as DDL."""

SCALARS = [
    "BOOLEAN", "TINYINT", "SMALLINT", "INT", "BIGINT", "FLOAT", "DOUBLE", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP_NTZ",
    "TIMESTAMP_NANOS", "TIMESTAMP_NTZ_NANOS", "BINARY", "STRING", "UUID", "DECIMAL(5,2)", "DECIMAL(18,0)",
    "DECIMAL(38,38)", "DECIMAL(38,0)", "DECIMAL(38,20)", "VARIANT",
]  # fmt: skip


# In the order of their UTF-8 bytes; UTF-16 orders the last two the other way round.
NAMES = [
    "", "\n", " ", "'", "*", ".", "0", "A", "STRUCT", "[*]", "\\", "\\'", "`", "a", "a b", "ab", "é", "\uffee", "😀",
]  # fmt: skip


def random_ddl(rnd, depth=4):
    kind = rnd.random() if depth else 0
    if kind < 0.5:
        return rnd.choice(SCALARS)
    if kind < 0.65:
        return f"ARRAY<{random_ddl(rnd, depth - 1)}>"
    names = rnd.sample(NAMES, rnd.randint(1, 4))
    return "STRUCT<" + ", ".join(f"`{n.replace('`', '``')}` {random_ddl(rnd, depth - 1)}" for n in names) + ">"
