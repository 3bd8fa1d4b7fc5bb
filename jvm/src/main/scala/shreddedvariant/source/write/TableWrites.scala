/**
 * Replaces Spark's writes to tables of a catalog by the V1 write of a directory that `save(path)` plans, so
 * that all routes share one write of files and one commit to Delta tables.
 *
 * The rule runs in the optimizer, because sessions that get the jar after their start can add rules only there.
 */
package shreddedvariant.source.write

import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{Row, SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.analysis.UnresolvedAttribute
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.Literal.TrueLiteral
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.classic.{SparkSession => ClassicSession}
import org.apache.spark.sql.connector.expressions.filter.{Predicate => SourcePredicate}
import org.apache.spark.sql.connector.write._
import org.apache.spark.sql.execution.SparkPlan
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.InsertIntoHadoopFsRelationCommand
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.execution.metric.SQLMetric
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.internal.SQLConf.PartitionOverwriteMode
import org.apache.spark.sql.types.StringType
import shreddedvariant.{Errors, Options, SparkBridge}
import shreddedvariant.delta.DeltaLog
import shreddedvariant.rules.Conjuncts
import shreddedvariant.source.delta.DeltaWrites
import shreddedvariant.source.format.ShreddedVariantFormat
import shreddedvariant.source.options.{GivenOptions, SourceOptions}
import shreddedvariant.source.table.{CatalogEntry, SourceTable}

/** Marks a write to a table of this format and has its options; the plan has everything else. */
final case class TableWrite(options: Map[String, String]) extends Write {
  override def description: String = "shredded_variant"
}

final class TableWriteBuilder(info: LogicalWriteInfo)
    extends WriteBuilder
    with SupportsOverwriteV2
    with SupportsDynamicOverwrite {
  override def build(): Write = TableWrite(info.options.asCaseSensitiveMap.asScala.toMap)
  override def overwrite(predicates: Array[SourcePredicate]): WriteBuilder = this
  override def overwriteDynamicPartitions(): WriteBuilder = this
}

object TableWrites extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    TableChecks(plan)
    plan match {
      case AppendData(r: DataSourceV2Relation, query, _, _, _, Some(write: TableWrite), _) =>
        new TableWritePlan(r, query, write).append
      case OverwriteByExpression(
            r: DataSourceV2Relation,
            condition,
            query,
            _,
            _,
            _,
            Some(write: TableWrite),
            _
          ) =>
        new TableWritePlan(r, query, write).overwrite(condition)
      case OverwritePartitionsDynamic(r: DataSourceV2Relation, query, _, _, _, Some(write: TableWrite)) =>
        new TableWritePlan(r, query, write).overwritePartitions
      case c @ CreateTableAsSelect(_, _, _, spec: TableSpec, options, _, _)
          if CatalogEntry.isOurs(spec.provider) =>
        PartitionsLast(c.copy(tableSpec = CatalogEntry.keeping(spec, options)))
      case r @ ReplaceTableAsSelect(_, _, _, spec: TableSpec, options, _, _)
          if CatalogEntry.isOurs(spec.provider) =>
        PartitionsLast(r.copy(tableSpec = CatalogEntry.keeping(spec, options)))
      case other => PartitionsLast(other)
    }
  }
}

private final class TableWritePlan(relation: DataSourceV2Relation, query: LogicalPlan, write: TableWrite) {
  private val table = relation.table.asInstanceOf[SourceTable]
  private val names = relation.output.map(_.name)
  private val partitionColumns = table.files.partitionColumns

  private val conf: Configuration =
    SparkSession.active.sessionState.newHadoopConfWithOptions(table.files.options ++ write.options)

  private val root: Path = table.files.paths match {
    case Seq(one) if table.files.catalog.isDefined || !SparkBridge.isGlob(new Path(one)) =>
      val path = new Path(one)
      path.getFileSystem(conf).makeQualified(path)
    case several => throw Errors.notOnePath(several)
  }

  private lazy val isCommitted = DeltaLog.isCommitted(root, conf)

  /** Options of the write replace options of the table, and these replace the session's defaults. */
  private val options: Map[String, String] = {
    val session = SourceOptions.withDefaults(Map.empty).session
    val ofTable = table.files.catalog.fold(table.files.options) { entry =>
      GivenOptions(entry.options.filterNot(o => isCommitted && CatalogEntry.isOfDelta(o._1)), session).all
    }
    GivenOptions(write.options.filterNot(o => CatalogEntry.isReserved(o._1)), ofTable).all
  }

  def append: LogicalPlan = command(insert(query, SaveMode.Append, Map.empty, Map.empty))

  def overwritePartitions: LogicalPlan = {
    val mode = if (partitionColumns.isEmpty) PartitionOverwriteMode.STATIC else PartitionOverwriteMode.DYNAMIC
    command(insert(query, SaveMode.Overwrite, Map.empty, overwriteMode(mode)))
  }

  def overwrite(condition: Expression): LogicalPlan = {
    val static = overwriteMode(PartitionOverwriteMode.STATIC)
    if (condition == TrueLiteral) {
      // An option may set the mode; Spark itself has applied the setting of the session.
      val mode = if (Options.get(options, OverwriteModeKey).isDefined) Map.empty[String, String] else static
      command(insert(query, SaveMode.Overwrite, Map.empty, mode))
    } else if (DeltaWrites.isDelta(insert(query, SaveMode.Overwrite, Map.empty, static), conf)) {
      val text = condition.transform { case a: Attribute => UnresolvedAttribute(Seq(a.name)) }.sql
      command(insert(query, SaveMode.Overwrite, Map.empty, static + (Options.ReplaceWhere -> text)))
    } else {
      val values = partitionValues(condition)
      val texts = values.map { case (name, literal) =>
        val zone = Some(SQLConf.get.sessionLocalTimeZone)
        name -> Option(Cast(literal, StringType, zone, EvalMode.LEGACY).eval()).map(_.toString).orNull
      }
      command(insert(within(values), SaveMode.Overwrite, texts.toMap, static))
    }
  }

  private val OverwriteModeKey = "partitionOverwriteMode"
  private def overwriteMode(mode: PartitionOverwriteMode.Value) = Map(OverwriteModeKey -> mode.toString)

  /**
   * The rows with what the catalog says of their columns, for a new Delta table: comments, CHAR and VARCHAR.
   * Spark has removed the latter from the relation.
   */
  private def described(rows: LogicalPlan): LogicalPlan =
    if (isCommitted || !Options.isDelta(options)) rows
    else
      Project(
        rows.output.zip(table.files.schema).map { case (column, described) =>
          Alias(column, described.name)(explicitMetadata = Some(described.metadata))
        },
        rows
      )

  /** The V1 write of the directory; the options in `extra` replace all other options. */
  private def insert(
      query: LogicalPlan,
      mode: SaveMode,
      static: Map[String, String],
      extra: Map[String, String]
  ): InsertIntoHadoopFsRelationCommand = {
    val rows = described(query)
    val columns = rows.output.zip(names).map { case (column, name) => column.withName(name) }
    val partitions = partitionColumns.map(name => columns.find(c => same(c.name, name)).get.withName(name))
    InsertIntoHadoopFsRelationCommand(
      outputPath = root,
      staticPartitions = static,
      ifPartitionNotExists = false,
      partitionColumns = partitions,
      bucketSpec = None,
      fileFormat = new ShreddedVariantFormat,
      options = GivenOptions(extra, options).all,
      query = rows,
      mode = mode,
      catalogTable = None,
      fileIndex = None,
      outputColumnNames = names
    )
  }

  private def command(insert: InsertIntoHadoopFsRelationCommand): LogicalPlan =
    DeltaWrites(WriteRule(insert)) match {
      case planned: DataWritingCommand => TableWriteCommand(planned, relation)
      case other => other
    }

  /** The values of the leading partition columns in a condition; the write replaces their directories. */
  private def partitionValues(condition: Expression): Seq[(String, Literal)] = {
    def refuse() = throw Errors.partitionCondition(root.toString, condition.sql, partitionColumns)
    val values = Conjuncts(condition).map {
      case EqualNullSafe(a: Attribute, value: Literal) => a.name -> value
      case EqualNullSafe(value: Literal, a: Attribute) => a.name -> value
      case EqualTo(a: Attribute, value: Literal) if value.value != null => a.name -> value
      case EqualTo(value: Literal, a: Attribute) if value.value != null => a.name -> value
      case IsNull(a: Attribute) => a.name -> Literal(null, a.dataType)
      case _ => refuse()
    }
    val byColumn =
      partitionColumns.take(values.size).map(name => name -> values.filter(v => same(v._1, name)))
    if (byColumn.size < values.size || byColumn.exists(_._2.size != 1)) refuse()
    byColumn.map { case (name, value) => name -> value.head._2 }
  }

  /**
   * Raises an error for rows outside of the partition: Spark's writer takes static partition columns for
   * constant, and files of other partitions would overwrite each other.
   */
  private def within(values: Seq[(String, Literal)]): LogicalPlan = {
    val byColumn = values.map { case (name, value) =>
      query.output(names.indexWhere(same(_, name))).exprId -> (name, value)
    }.toMap
    Project(
      query.output.map { column =>
        byColumn.get(column.exprId).fold[NamedExpression](column) { case (name, value) =>
          val message = Literal(Errors.outsideOfPartition(root.toString, name, value.sql).getMessage)
          val raise = RaiseError(
            Literal("USER_RAISED_EXCEPTION"),
            CreateMap(Seq(Literal("errorMessage"), message)),
            column.dataType
          )
          Alias(If(EqualNullSafe(column, value), column, raise), column.name)()
        }
      },
      query
    )
  }

  private def same(a: String, b: String) = SQLConf.get.resolver(a, b)
}

/** A write to a table, after which Spark refreshes cached data of the table. */
final case class TableWriteCommand(write: DataWritingCommand, table: DataSourceV2Relation)
    extends DataWritingCommand {
  override def query: LogicalPlan = write.query
  override def outputColumnNames: Seq[String] = write.outputColumnNames
  override lazy val metrics: Map[String, SQLMetric] = write.metrics
  override protected def withNewChildInternal(child: LogicalPlan): TableWriteCommand =
    copy(write = write.withNewChildren(Seq(child)).asInstanceOf[DataWritingCommand])

  override def run(spark: ClassicSession, child: SparkPlan): Seq[Row] = {
    val rows = write.run(spark, child)
    val cache = spark.sharedState.cacheManager
    (table.catalog, table.identifier) match {
      // By name, because the table does not equal the cached one, which has other rows.
      case (Some(catalog), Some(name)) =>
        val parts = catalog.name +: name.namespace.toSeq :+ name.name
        cache.recacheTableOrView(spark, parts, false)
      case _ => cache.recacheByPlan(spark, table)
    }
    rows
  }
}
