/** How files are written: one immutable value, made in the driver and sent to the tasks. */
package shreddedvariant.parquet

import shreddedvariant.layout.{Shape, WriteLayout}

/** `shapes` by the path of a variant column within the schema; a column without one is written unshredded. */
final case class WriteJob(shapes: Map[Seq[String], Shape], layout: WriteLayout = WriteLayout.Parquet)
