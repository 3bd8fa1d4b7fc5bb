/** Every option with its default and its meaning; docs/options.md is printed from this list. */
package shreddedvariant

import shreddedvariant.Options._

private[shreddedvariant] object OptionDocs {
  val MapKeys: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.keys",
    "–",
    "The hot keys of a map: comma separated and trimmed, or a JSON array for keys that are empty, padded or hold commas. " +
      "Read: the keys of files with such columns whose footers do not name them."
  )
  val MapInfer: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.infer",
    "false",
    "Whether the data chooses hot keys: of the keys that are frequent enough, those that hold most bytes. Each file " +
      "looks at its first rows, as many as inference may hold back, until the table keeps the keys (`shredding.pin`). Keys " +
      "that are given stay hot."
  )
  val MapMaxKeys: OptionDoc =
    OptionDoc("parquet.map.shredding.<column>.maxKeys", "64", "Inference: how many keys of a map are hot.")
  val MapMinFrequency: OptionDoc = OptionDoc(
    "parquet.map.shredding.<column>.minFrequency",
    "0.10",
    "Inference: how many maps must have a value for a key, as a share of those that are not null."
  )
  val Bloom: OptionDoc = OptionDoc(
    "bloom.<column>",
    "–",
    "The paths of a variant, written as in `shredding.include`, or the hot keys of a map, written as in `….keys`, that " +
      "get a bloom filter in each row group, where a file has a column of its own for them: a search for a value then " +
      "skips row groups that do not hold it. Filters are as large as their values need."
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
        "nested in a struct, with backticks where a name holds dots."
    ),
    OptionDoc(
      IncludePrefix + "<column>",
      "–",
      "Paths that are shredded beside what inference finds, whatever their frequency: `$.user.id, $.tags`. A key that " +
        "holds a dot, a comma or a bracket is written `$['a.b']`; `$.items[*].price` goes through the elements of an " +
        "array. What is below such a path is measured by the path's own values. A path that is never seen stays untyped."
    ),
    OptionDoc(
      ExcludePrefix + "<column>",
      "–",
      "Paths that inference never shreds, with all below them, written as above. What is excluded stays so if it is " +
        "included as well."
    ),
    OptionDoc(
      Policy,
      "equivalence",
      "How inference picks a type. `equivalence`: integers and decimals count as one, and a path gets its most " +
        "frequent kind of values that reaches the frequency. `majority`: the rules of Iceberg's shredding analyser."
    ),
    OptionDoc(
      MinFieldFrequency,
      "0.10",
      "Inference: how many values a path must have, as a share of the column's values that are not null."
    ),
    OptionDoc(
      MaxFields,
      "300",
      "Inference: how many fields of one object are shredded, the most frequent first."
    ),
    OptionDoc(MaxDepth, "50", "Inference: how many steps a shredded path may have, up to 100."),
    OptionDoc(
      MaxIntermediateFields,
      "1000",
      "Inference: how many fields of one object are looked at, the most frequent first."
    ),
    OptionDoc(
      SampleRows,
      "4096",
      "Inference: how many rows one writer may hold back before it decides; a file's shape is that of its first rows."
    ),
    OptionDoc(
      SampleBytes,
      "64m",
      "Inference: how many bytes these rows may have; the row that reaches either bound is the last one held back."
    ),
    OptionDoc(
      Pin,
      "table",
      "`table`: a column keeps its first shape, which stands with the table in `_shredding/shapes.json`, or in the property " +
        "`shredded_variant.shape.<column>` of a Delta table, and is reused by later writes; people may edit it. Hot keys " +
        "that are inferred are kept likewise. `none`: each file decides for itself."
    ),
    OptionDoc(
      PinMinRows,
      "1000",
      "How many values an inferred shape must rest on to be kept for later writes."
    ),
    OptionDoc(
      Layout,
      "parquet",
      "How shredded variants are laid out. `parquet`: today's Parquet shredding layout; `draft`: the earlier layout, with " +
        "`untyped_value`. Readers know both, whatever the option says."
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
      "Files of a directory: how long files stay in `_temporary` that a write which was killed has left. The next write to " +
        "the directory removes them when nothing there has changed for so long, at least `1h`, and says so in the driver's log."
    ),
    OptionDoc(Compression, "zstd", "The codec of the files, as for Spark's `parquet`."),
    OptionDoc(
      MergeSchema,
      "–",
      "Whether the columns of all files are brought together on read, as for Spark's `parquet`; on a write to a Delta " +
        "table, whether columns that it lacks are added to it."
    ),
    OptionDoc(MaxVariantBytes, "128m", "Read: a rebuilt variant beyond this size is refused."),
    OptionDoc(MaxVariantDepth, "1000", "Read: a variant that is shredded deeper than this is refused."),
    OptionDoc(
      LateMaterialization,
      "true",
      "Read: whether a filter may be evaluated before the other columns are read, for rows that survive it."
    ),
    OptionDoc(
      OverwriteSchema,
      "false",
      "On an overwrite of a Delta table: whether it gets the columns and partition columns of what is written."
    ),
    OptionDoc(
      ReplaceWhere,
      "–",
      "On an overwrite of a Delta table: a condition on its partition columns that chooses what is replaced."
    ),
    OptionDoc(
      SingleDriver,
      "false",
      "Write: whether no other driver writes to the table meanwhile. Needed on file systems that cannot create a file for " +
        "one of several drivers alone: see delta.md."
    ),
    OptionDoc(VersionAsOf, "–", "Read a Delta table as it was at this version."),
    OptionDoc(
      TimestampAsOf,
      "–",
      "Read a Delta table as it was at this time, such as `2026-01-31 12:00:00` in the session's time zone."
    )
  ) ++ StreamOptions.all
}
