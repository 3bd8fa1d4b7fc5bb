"""Writes files with parquet-java's example writer, which has types that Spark and pyarrow do not write."""


def write_java(spark, path, schema, rows, *, page=10):
    """Rows are {column: bytes, number, None or {column: ...} for a group}; `page` is the number of rows in a page."""
    jvm = spark._jvm
    message = jvm.org.apache.parquet.schema.MessageTypeParser.parseMessageType(schema)
    writer = (
        jvm.org.apache.parquet.hadoop.example.ExampleParquetWriter.builder(jvm.org.apache.hadoop.fs.Path(str(path)))
        .withType(message)
        .withDictionaryEncoding(False)
        .withPageRowCountLimit(page)
        .withMinRowCountForPageSizeCheck(page)
        .build()
    )
    for row in rows:
        group = jvm.org.apache.parquet.example.data.simple.SimpleGroup(message)
        _fill(jvm, group, row)
        writer.write(group)
    writer.close()
    return str(path)


def _fill(jvm, group, row):
    for name, value in row.items():
        if isinstance(value, dict):
            _fill(jvm, group.addGroup(name), value)
        elif isinstance(value, bytes):
            group.append(name, jvm.org.apache.parquet.io.api.Binary.fromConstantByteArray(value))
        elif value is not None:
            group.append(name, value)


def unscaled(number):
    """An unscaled decimal in as few bytes as it takes."""
    return number.to_bytes(number.bit_length() // 8 + 1, "big", signed=True)
