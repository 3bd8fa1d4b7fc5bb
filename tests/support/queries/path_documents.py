"""Generated documents, shapes that fit most of them, and paths into them."""

from decimal import Decimal

from variants import array, binary, date, double, float32, obj, of, timestamp, timestamp_ntz, uid

DAY = 86_400_000_000
KEYS = ["a", "b", "c", "k.x", "sp ace", "é", "", "A", "it's"]

# A sum of these numbers is exact in any order, so that it does not depend on partitions.
SCALARS = {
    "BIGINT": lambda r: r.choice([r.randint(-3, 9), r.randint(-40000, 40000), r.randint(-(2**35), 2**35)]),
    "INT": lambda r: r.randint(-5, 300),
    "DECIMAL(12,2)": lambda r: Decimal(r.randint(-9999, 999999)).scaleb(-r.randint(0, 2)),
    "DOUBLE": lambda r: double(r.choice([1.5, -2.25, 0.5, 1e6, float("nan"), r.randint(-99, 99) / 4 or 1.0])),
    "FLOAT": lambda r: float32(r.randint(1, 99) / 4),
    "STRING": lambda r: r.choice(
        ["", "a", "b", "é", "x y", "12", "1.5", "true", "2024-02-29", "long " * 9, str(r.random())]
    ),
    "BOOLEAN": lambda r: r.random() < 0.5,
    "DATE": lambda r: date(r.randint(-400, 20000)),
    "TIMESTAMP": lambda r: timestamp(r.randint(0, 20000) * DAY + r.randint(0, DAY)),
    "TIMESTAMP_NTZ": lambda r: timestamp_ntz(r.randint(0, 20000) * DAY + r.randint(0, DAY)),
    "BINARY": lambda r: binary(r.randbytes(r.randint(0, 4))),
    "UUID": lambda r: uid(f"{r.getrandbits(128):032x}"),
}
TARGETS = ["STRING", "INT", "BIGINT", "DOUBLE", "DECIMAL(12,2)", "DECIMAL(38,6)", "DATE", "TIMESTAMP", "TIMESTAMP_NTZ",
           "BOOLEAN", "SMALLINT", "FLOAT"]  # fmt: skip
NESTED = [
    "VARIANT",
    "ARRAY<STRING>",
    "ARRAY<BIGINT>",
    "ARRAY<VARIANT>",
    "MAP<STRING, STRING>",
    "STRUCT<a: BIGINT, b: STRING>",
]


class Documents:
    """Values that mostly have one kind: a type, {key: kind} or [kind]. The shapes differ from the kind by mutations."""

    def __init__(self, random):
        self.random = random
        self.kind = {key: self.any_kind(2) for key in random.sample(KEYS, random.randint(3, 6))}

    def any_kind(self, depth):
        dice = self.random.random() if depth else 0
        if dice < 0.6:
            return self.random.choice(list(SCALARS))
        if dice < 0.82:
            return {key: self.any_kind(depth - 1) for key in self.random.sample(KEYS, self.random.randint(1, 3))}
        return [self.any_kind(depth - 1)]

    def value(self, kind, stray=0.12):
        """A value of the kind, or with probability `stray` a value of any kind."""
        if self.random.random() < stray:
            return None if self.random.random() < 0.4 else self.value(self.any_kind(1), 0)
        if isinstance(kind, dict):
            fields = {k: self.value(x, stray) for k, x in kind.items() if self.random.random() > 0.15}
            if self.random.random() < 0.1:
                fields[self.random.choice(KEYS)] = self.value(self.any_kind(1), 0)
            return obj(fields)
        if isinstance(kind, list):
            return array(*(self.value(kind[0], stray) for _ in range(self.random.randint(0, 4))))
        return SCALARS[kind](self.random)

    def row(self):
        """A whole variant; None is an SQL NULL."""
        return None if self.random.random() < 0.06 else of(self.value(self.kind, stray=0.05))

    def shape(self, kind, mutation):
        if self.random.random() < mutation:
            kind = self.random.choice([self.any_kind(1), "VARIANT"])
        if isinstance(kind, dict):
            kept = {k: x for k, x in kind.items() if self.random.random() > mutation}
            if self.random.random() < mutation or not kept:
                kept[self.random.choice(KEYS)] = self.any_kind(1)
            return "STRUCT<" + ", ".join(f"`{k}` {self.shape(x, mutation)}" for k, x in kept.items()) + ">"
        return f"ARRAY<{self.shape(kind[0], mutation)}>" if isinstance(kind, list) else kind

    def path(self):
        """(keys and indexes, the kind of the value there); most paths exist in most documents."""
        kind, steps = self.kind, []
        while not steps or self.random.random() < 0.75:
            if isinstance(kind, list):
                steps.append(self.random.choice([0, 0, 1, 2, 7]))
                kind = kind[0]
            elif isinstance(kind, dict):
                steps.append(self.random.choice(list(kind)))
                kind = kind[steps[-1]]
            else:
                break
        if self.random.random() < 0.12:
            steps.append(self.random.choice([*KEYS, 0]))
        return steps, kind


def literal(steps):
    """The path as a string literal of SQL."""
    keys = "".join(f"[{s}]" if isinstance(s, int) else f'["{s}"]' for s in steps)
    return "'$" + keys.replace("'", "\\'") + "'"


def colon(variant, steps):
    """A path in colon syntax if all its keys are plain names, else as variant_get."""
    plain = [isinstance(s, int) or (s.isalpha() and s.isascii()) for s in steps]
    if all(plain) and not isinstance(steps[0], int):
        rest = "".join(f"[{s}]" if isinstance(s, int) else f".{s}" for s in steps)
        return f"{variant}:{rest[1:]}"
    return f"variant_get({variant}, {literal(steps)})"
