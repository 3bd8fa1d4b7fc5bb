/** How files are written: one immutable value, made in the driver and sent to the tasks. */
package shreddedvariant.parquet

import shreddedvariant.infer.Limits
import shreddedvariant.layout.Shape

/**
 * By the path of a variant column within the schema: the shape that a user gave, or the limits by which one is inferred.
 * A column in neither is written unshredded.
 */
final case class WriteJob(shapes: Map[Seq[String], Shape], limits: Map[Seq[String], Limits] = Map.empty)
