"""A table whose footers have bounds of every type, and aggregates over it that come from footers, pages or rows."""

ROWS = 8000
SHAPE = (
    "n BIGINT, i INT, small SMALLINT, d DOUBLE, f FLOAT, nan DOUBLE, zero DOUBLE, m DECIMAL(12,2), w DECIMAL(30,3), "
    "s STRING, b BOOLEAN, day DATE, at TIMESTAMP, ntz TIMESTAMP_NTZ, l ARRAY<BIGINT>, o STRUCT<p: BIGINT>, "
    "mixed BIGINT, nulls BIGINT, never BIGINT"
)
# `mixed` is a list in the third quarter; `nulls` is a JSON null in every tenth row; some rows have no variant.
VARIANT = """
    CASE WHEN id % 1000 = 999 THEN NULL ELSE to_variant_object(named_struct(
        'n', id, 'i', CAST(id AS INT), 'small', CAST(id AS SMALLINT), 'd', id + 0.5D, 'f', CAST(id + 0.25 AS FLOAT),
        'nan', CASE WHEN id = 4321 THEN double('NaN') ELSE id + 1D END,
        'zero', CASE WHEN id % 2 = 0 THEN 0D ELSE -0D END,
        'm', CAST(id / 4 AS DECIMAL(12,2)), 'w', CAST(id AS DECIMAL(30,3)) * 1000000000000BD,
        's', concat('s', id), 'b', id >= 4000, 'day', date_add(DATE'2020-01-01', CAST(id AS INT)),
        'at', timestamp_seconds(id * 60), 'ntz', CAST(timestamp_seconds(id * 60) AS TIMESTAMP_NTZ),
        'l', array(id, id + 1), 'o', named_struct('p', id, 'k', id),
        'mixed', CASE WHEN id BETWEEN 4000 AND 5999 THEN to_variant_object(array(id)) ELSE CAST(id AS VARIANT) END,
        'nulls', CASE WHEN id % 10 = 0 THEN parse_json('null') ELSE CAST(id AS VARIANT) END,
        'big', id * 1000000
    )) END
"""

# The scan computes these aggregates from footers.
FROM_FOOTERS = [
    "count(*)",
    "count(1), count(v), count(id), count(name), count(i)",
    "max(id), min(id), max(i), min(i)",
    "count(v:n), count(v:n::bigint), min(v:n::bigint), max(v:n::bigint)",
    "max(v:n::bigint) - min(v:n::bigint) + count(*), max(v:n::bigint)",
    "min(v:i::int), max(v:i::int), max(v:small::smallint), max(v:small::int)",
    # Casts that keep the order.
    "min(v:n::int), max(v:n::smallint), max(v:n::double), max(v:n::float), min(v:n::decimal(20,4))",
    "max(v:m::int), max(v:m::double), max(v:d::int), min(v:d::float)",
    "min(v:d::double), max(v:d::double), min(v:f::float), max(v:f::double)",
    "min(v:m::decimal(12,2)), max(v:m::decimal(12,2)), max(v:m::decimal(14,1)), max(v:w::decimal(38,3))",
    "min(v:b::boolean), max(v:b::boolean), min(v:day::date), max(v:day::date)",
    "min(v:at::timestamp), max(v:at::timestamp), max(v:ntz::timestamp_ntz)",
    "count(v:s::string), count(v:b::boolean), count(v:zero::double), count(v:nan::double)",
    "max(v:o.p::bigint), count(v:o.p)",
    # A residual variant null is NULL to a cast.
    "count(v:nulls::bigint), max(v:nulls::bigint), min(v:nulls::int)",
    "count(v:never::bigint), max(v:never::bigint), count(v:never)",
    "count(try_variant_get(v, '$.n', 'int')), max(try_variant_get(v, '$.n', 'int'))",
    "count(v:n.more::int), max(try_variant_get(v, '$.n[3]', 'int'))",
]
# The scan computes these aggregates from pages.
FROM_PAGES = [
    # Some values cannot be cast, and are NULL.
    "count(try_variant_get(v, '$.n', 'tinyint')), max(try_variant_get(v, '$.n', 'tinyint'))",
    "count(try_variant_get(v, '$.big', 'int'))",
    "max(try_variant_get(v, '$.d', 'tinyint')), min(try_variant_get(v, '$.w', 'int'))",
    # Values outside the typed column.
    "count(try_variant_get(v, '$.mixed', 'bigint')), max(try_variant_get(v, '$.mixed', 'bigint'))",
    "count(v:mixed), count(v:nulls)",
    "max(v:big::bigint), count(v:big), count(v:o.k::int)",
    # Bounds exclude NaN, and do not have the sign of zero.
    "max(v:nan::double), min(v:nan::double), max(v:nan::float)",
    "max(v:zero::double), min(v:zero::double)",
    # The bounds have another order than the cast, or are bounds of list elements, which rows may lack.
    "count(v:n::string), count(v:l[1]::bigint), max(v:l[0]::bigint), count(v:l[5]::int), count(v:l)",
    "count(v:o), count(try_variant_get(v, '$.s', 'int'))",
]
# The scan does not compute these: filters, groups, other functions, minima of strings, whose bounds may be truncated.
AS_USUAL = [
    "SELECT count(*), max(v:n::bigint) FROM {t} WHERE v:n::bigint > 7000",
    "SELECT count(v:n) FROM {t} WHERE id % 2 = 0",
    "SELECT v:b::boolean, count(*), max(v:n::bigint) FROM {t} GROUP BY 1",
    "SELECT max(v:s::string), min(name) FROM {t}",
    "SELECT sum(v:n::bigint), count(*) FROM {t}",
    "SELECT count(DISTINCT v:b::boolean) FROM {t}",
    "SELECT max(v:n::bigint + 1) FROM {t}",
    "SELECT count(*) FILTER (WHERE v:b::boolean) FROM {t}",
    "SELECT count(v:n::bigint, id) FROM {t}",
]
