/** All options with their defaults and meanings; docs/options.md is printed from this list. */
package shreddedvariant

import shreddedvariant.Options._

private[shreddedvariant] object OptionDocs {
  val MapKeys: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.keys",
    "–",
    "The hot keys of a map: comma separated and trimmed, or a JSON array for keys that are empty, padded or hold commas. " +
      "Read: the hot keys of files whose footers do not name them."
  )
  val MapInfer: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.infer",
    "false",
    "Whether hot keys are inferred from the data: of the keys that are frequent enough, those with the most bytes. Each " +
      "file uses its first rows, as many as `shredding.sampleRows` and `shredding.sampleBytes` allow, until the table " +
      "keeps the keys (`shredding.pin`). Keys of the option `….keys` are always hot."
  )
  val MapMaxKeys: OptionDoc =
    OptionDoc(
      "parquet.map.shredding.<column>.maxKeys",
      "64",
      "Inference: the maximal number of hot keys of a map."
    )
  val MapMinFrequency: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.minFrequency",
    "0.10",
    "Inference: the minimal share of the maps that are not null in which a hot key has a value."
  )
  val Bloom: OptionDoc = OptionDoc(
    "bloom.<column>",
    "–",
    "The paths of a variant, written as in `shredding.include`, or the hot keys of a map, written as in `….keys`, that " +
      "get a bloom filter in each row group of the files that have a column for them: a search for a value then skips " +
      "row groups without it. The size of a filter depends on the number of its values."
  )

  val all: Seq[OptionDoc] = Seq(
    OptionDoc(
      Shredding,
      "infer",
      "For every variant column: `infer` (each file gets the shape that its first rows suggest) or `off` (unshredded)."
    ),
    OptionDoc(
      ShapePrefix + "<column>",
      "–",
      "For one column: `infer`, `off`, or the shape as a Spark type, such as `a BIGINT, b STRUCT<c STRING>`; also " +
        "`UUID`, `TIME`, `TIMESTAMP_NANOS` and `TIMESTAMP_NTZ_NANOS`. The column is a Spark identifier, dotted when " +
        "nested in a struct, with backticks where a name contains dots."
    ),
    OptionDoc(
      IncludePrefix + "<column>",
      "–",
      "Paths that are shredded in addition to the inferred paths, whatever their frequency: `$.user.id, $.tags`. A key " +
        "that contains a dot, a comma or a bracket is written `$['a.b']`; `$.items[*].price` goes through the elements " +
        "of an array. Frequencies below an included path are shares of the path's own values. An included path without " +
        "values stays untyped."
    ),
    OptionDoc(
      ExcludePrefix + "<column>",
      "–",
      "Paths that inference never shreds, with all paths below them, written as in `shredding.include`. If a path is " +
        "both excluded and included, it is excluded."
    ),
    OptionDoc(
      Policy,
      "equivalence",
      "How inference chooses a type. `equivalence`: integers and decimals count as one type, and a path gets its most " +
        "frequent type that reaches the frequency. `majority`: the rules of Iceberg's shredding analyser."
    ),
    OptionDoc(
      MinFieldFrequency,
      "0.10",
      "Inference: the minimal number of values of a path, as a share of the column's values that are not null."
    ),
    OptionDoc(
      MaxFields,
      "300",
      "Inference: the maximal number of shredded fields of one object; the most frequent fields come first."
    ),
    OptionDoc(MaxDepth, "50", "Inference: the maximal number of steps of a shredded path, up to 100."),
    OptionDoc(
      MaxIntermediateFields,
      "1000",
      "Inference: the maximal number of fields of one object that are considered; the most frequent fields come first."
    ),
    OptionDoc(
      SampleRows,
      "4096",
      "Inference: the maximal number of rows that one writer buffers before it infers the shape of its file from them."
    ),
    OptionDoc(
      SampleBytes,
      "64m",
      "Inference: the maximal size of the buffered rows; the row that reaches either limit is the last one of the buffer."
    ),
    OptionDoc(
      Pin,
      "table",
      "`table`: the table keeps the first shape of a column, in `_shredding/shapes.json` or in the property " +
        "`shredded_variant.shape.<column>` of a Delta table, and later writes use it; you may edit it. A directory keeps " +
        "inferred hot keys in the same way. `none`: each file gets its own shape."
    ),
    OptionDoc(
      PinMinRows,
      "1000",
      "The minimal number of values that an inferred shape must be based on before the table keeps it."
    ),
    OptionDoc(
      Layout,
      "parquet",
      "The layout of shredded variants. `parquet`: the current Parquet shredding layout; `draft`: the earlier layout, with " +
        "`untyped_value`. Reads support both, whatever the option says."
    ),
    OptionDoc(
      Table,
      "files",
      "`files`: a directory of Parquet files; `delta`: a Delta table. An existing one is recognised by its log."
    ),
    OptionDoc(
      MapColumns,
      "–",
      "The map columns whose hot keys get columns of their own, comma separated; each written as in `shredding.shape`. " +
        "Their keys must be strings."
    ),
    MapKeys,
    MapInfer,
    MapMaxKeys,
    MapMinFrequency,
    Bloom,
    OptionDoc(
      KeepTemporary,
      "1d",
      "Directories of files: how long the files of a killed write stay in `_temporary`. The next write to the directory " +
        "removes them if none of them has changed for this time, at least `1h`, and logs a warning in the driver."
    ),
    OptionDoc(Compression, "zstd", "The codec of the files, as for Spark's `parquet`."),
    OptionDoc(
      MergeSchema,
      "–",
      "Read: whether the columns of all files are merged, as for Spark's `parquet`. Write to a Delta table: whether " +
        "columns that the table lacks are added to it."
    ),
    OptionDoc(
      MaxVariantBytes,
      "128m",
      "Read: a rebuilt variant, or the JSON text of a variant, that is larger than this is refused."
    ),
    OptionDoc(MaxVariantDepth, "1000", "Read: a variant that is shredded deeper than this is refused."),
    OptionDoc(
      LateMaterialization,
      "true",
      "Read: whether a filter may be evaluated first, and the other columns read only for the rows that pass it."
    ),
    OptionDoc(
      OverwriteSchema,
      "false",
      "On an overwrite of a Delta table: whether the table gets the columns and partition columns of the written data."
    ),
    OptionDoc(
      ReplaceWhere,
      "–",
      "On an overwrite of a Delta table: a condition on its partition columns; only the partitions that fulfil it are replaced."
    ),
    OptionDoc(
      SingleDriver,
      "false",
      "Write: a promise that no other driver writes to the table at the same time. It is needed on file systems that " +
        "cannot guarantee that only one of several drivers creates a file: see delta.md."
    ),
    OptionDoc(VersionAsOf, "–", "Read a Delta table as it was at this version."),
    OptionDoc(
      TimestampAsOf,
      "–",
      "Read a Delta table as it was at this time, such as `2026-01-31 12:00:00` in the session's time zone."
    )
  ) ++ StreamOptions.all
}
