/** `shredding_shape(v[, limits])`: the shape that inference finds for the values of a column, as an aggregate. */
package shreddedvariant.source

import org.apache.spark.internal.Logging
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.{FunctionRegistryBase, TypeCheckResult}
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry.FunctionBuilder
import org.apache.spark.sql.catalyst.expressions.{
  ExpectsInputTypes,
  Expression,
  ExpressionDescription,
  ExpressionInfo
}
import org.apache.spark.sql.catalyst.expressions.aggregate.{ImperativeAggregate, TypedImperativeAggregate}
import org.apache.spark.sql.catalyst.util.MapData
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.{UTF8String, VariantVal}
import shreddedvariant.{Errors, SparkBridge}
import shreddedvariant.binary.MalformedVariant
import shreddedvariant.infer.{Counts, Inference, Limits}

/**
 * `column` is the variant as the user wrote it, for messages: when rows come, all expressions are bound to numbers.
 *
 * The result goes straight into the option `shredding.shape.<column>`: over no rows, or where nothing is worth shredding,
 * it is VARIANT. The buffer is [[Counts]], so neither partitions nor the order of rows show.
 */
@ExpressionDescription(
  usage =
    "_FUNC_(v[, limits]) - Returns the shape in which the values of a variant column are shredded, as DDL.",
  arguments = """
    Arguments:
      * v - A variant.
      * limits - A constant map of the options of inference: policy, minFieldFrequency, maxFields, maxDepth,
          maxIntermediateFields, include, exclude.
  """,
  examples = """
    Examples:
      > SELECT _FUNC_(parse_json(j)) FROM VALUES ('{"a": 1}'), ('{"a": 2.5}') AS t(j);
       STRUCT<a DECIMAL(2,1)>
  """,
  group = "variant_funcs"
)
final case class ShreddingShape(
    variant: Expression,
    limits: Option[Expression],
    column: String,
    override val mutableAggBufferOffset: Int,
    override val inputAggBufferOffset: Int
) extends TypedImperativeAggregate[Counts]
    with ExpectsInputTypes
    with Logging {
  def this(variant: Expression) = this(variant, None, variant.sql, 0, 0)
  def this(variant: Expression, limits: Expression) = this(variant, Some(limits), variant.sql, 0, 0)

  @transient private lazy val by: Limits = limits.fold(Limits())(ShreddingShape.limits)

  override def prettyName: String = "shredding_shape"
  override protected def stringArgs: Iterator[Any] = children.iterator
  override def children: Seq[Expression] = variant +: limits.toSeq
  override def inputTypes: Seq[DataType] = Seq(VariantType, MapType(StringType, StringType))
  override def dataType: DataType = StringType
  override def nullable: Boolean = false

  /** Wrong limits are refused before anything runs. */
  override def checkInputDataTypes(): TypeCheckResult = {
    val result = super.checkInputDataTypes()
    if (result.isSuccess) by
    result
  }

  override def createAggregationBuffer(): Counts = new Counts

  override def update(counts: Counts, row: InternalRow): Counts = {
    val value = variant.eval(row).asInstanceOf[VariantVal]
    if (value == null) counts.addNull()
    else
      try counts.add(value.getMetadata, value.getValue)
      catch { case e: MalformedVariant => throw Errors.malformedValue(column, e.reason) }
    counts
  }

  override def merge(counts: Counts, other: Counts): Counts = {
    counts.merge(other)
    counts
  }

  override def eval(counts: Counts): Any = {
    val inferred = Inference.infer(Seq(counts -> by)).head
    if (inferred.isCut) logWarning(Errors.pathsLeftOut(column))
    UTF8String.fromString(inferred.shape.ddl)
  }

  override def serialize(counts: Counts): Array[Byte] = counts.toBytes
  override def deserialize(bytes: Array[Byte]): Counts = Counts.fromBytes(bytes)

  override def withNewMutableAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(mutableAggBufferOffset = offset)
  override def withNewInputAggBufferOffset(offset: Int): ImperativeAggregate =
    copy(inputAggBufferOffset = offset)
  override protected def withNewChildrenInternal(newChildren: IndexedSeq[Expression]): Expression =
    copy(variant = newChildren.head, limits = newChildren.lift(1))
}

object ShreddingShape {
  val name = "shredding_shape"
  val (info: ExpressionInfo, builder: FunctionBuilder) =
    FunctionRegistryBase.build[ShreddingShape](name, since = None)

  /** For a session that has the jar only since its start; a session has functions of its own. */
  def register(session: SparkSession): Unit = {
    val registry = session.sessionState.functionRegistry
    val identifier = SparkBridge.builtinFunction(name)
    if (!registry.functionExists(identifier)) registry.registerFunction(identifier, info, builder)
  }

  private def limits(map: Expression): Limits = {
    if (!map.foldable) throw Errors.limitsArgument("not constant")
    val entries = map.eval().asInstanceOf[MapData]
    if (entries == null) throw Errors.limitsArgument("NULL")
    val (keys, values) = (entries.keyArray(), entries.valueArray())
    InferenceLimits.ofMap((0 until entries.numElements()).map { i =>
      val key = keys.getUTF8String(i).toString
      if (values.isNullAt(i)) throw Errors.limitsArgument(s"NULL for '$key'")
      key -> values.getUTF8String(i).toString
    }.toMap)
  }
}
