/** Plans over a table with an id, a variant, a map and a struct with a variant in it, without a session. */
package shreddedvariant.rules

import java.util

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.variant.VariantGet
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.connector.catalog.{Column, SupportsRead, TableCapability}
import org.apache.spark.sql.connector.read.{Scan, ScanBuilder, SupportsPushDownRequiredColumns}
import org.apache.spark.sql.execution.datasources.v2._
import org.apache.spark.sql.types._
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.layout.PathColumn

private[rules] trait StubPlans {
  Configurator.setRootLevel(Level.ERROR)

  protected val id: AttributeReference = AttributeReference("id", IntegerType)()
  protected val v: AttributeReference = AttributeReference("v", VariantType)()
  protected val m: AttributeReference = AttributeReference("m", MapType(StringType, IntegerType))()
  protected val struct: AttributeReference =
    AttributeReference("s", new StructType().add("n", IntegerType).add("w", VariantType))()

  protected val relation: DataSourceV2Relation = relationOf(id, v)

  /** A relation with these attributes of the table. */
  protected def relationOf(output: AttributeReference*): DataSourceV2Relation =
    DataSourceV2Relation(StubTable(Nil), output, None, None, CaseInsensitiveStringMap.empty)

  protected val scan: LogicalPlan = V2ScanRelationPushDown(Project(Seq(id, v), relation))

  protected def get(
      child: Expression,
      path: String,
      target: DataType = IntegerType,
      strict: Boolean = false
  ): VariantGet = VariantGet(child, Literal(path), target, failOnError = strict, Some("UTC"))

  protected def select(child: LogicalPlan, columns: NamedExpression*): Project = Project(columns, child)
  protected def named(e: Expression): Alias = Alias(e, "x")()

  /** The columns that each scan of a plan reads. */
  protected def read(plan: LogicalPlan): Seq[Seq[String]] =
    plan.collect { case s: DataSourceV2ScanRelation => s.output.map(_.name) }

  /** The plan with scans that take reasons. */
  protected def withPathScans(plan: LogicalPlan): LogicalPlan = plan.transform {
    case s: DataSourceV2ScanRelation => s.copy(scan = StubScan(s.scan.readSchema, Map.empty))
  }
}

private[rules] final case class StubTable(pathColumns: Seq[PathColumn], more: Seq[Column] = Nil)
    extends PathTable
    with SupportsRead {
  override def name: String = "stub"
  override def columns: Array[Column] = (Seq(
    Column.create("id", IntegerType),
    Column.create("v", VariantType),
    Column.create("m", MapType(StringType, IntegerType)),
    Column.create("s", new StructType().add("n", IntegerType).add("w", VariantType))
  ) ++ more).toArray
  override def capabilities: util.Set[TableCapability] = util.EnumSet.of(TableCapability.BATCH_READ)
  override def withPathColumns(columns: Seq[PathColumn]): PathTable = copy(pathColumns = columns)
  override def withWhole(reasons: Map[String, String]): PathTable = this
  override def newScanBuilder(options: CaseInsensitiveStringMap): ScanBuilder = new StubBuilder
}

private final class StubBuilder extends ScanBuilder with SupportsPushDownRequiredColumns {
  private var schema = new StructType()
  override def pruneColumns(required: StructType): Unit = schema = required
  override def build(): Scan = new Scan { override def readSchema: StructType = schema }
}

/** A scan that takes reasons why it reads columns whole, as those of this source do. */
private[rules] final case class StubScan(readSchema: StructType, whole: Map[String, String])
    extends PathScan {
  override def withWhole(reasons: Map[String, String]): PathScan = copy(whole = reasons)
}
