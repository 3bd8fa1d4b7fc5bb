/** Paths in SQL: ``SELECT … FROM shredded_variant.`/path` `` reads as `load(path)` does. */
package shreddedvariant.source

import scala.jdk.CollectionConverters._

import org.apache.hadoop.fs.Path
import org.apache.spark.sql.SparkSession
import org.apache.spark.sql.catalyst.TableIdentifier
import org.apache.spark.sql.catalyst.catalog.CatalogTable
import org.apache.spark.sql.catalyst.analysis.{RelationTimeTravel, UnresolvedRelation}
import org.apache.spark.sql.catalyst.expressions.{AttributeReference, Literal}
import org.apache.spark.sql.catalyst.plans.logical.{LogicalPlan, SubqueryAlias, UnresolvedDataSource}
import org.apache.spark.sql.catalyst.rules.Rule
import org.apache.spark.sql.catalyst.types.DataTypeUtils
import org.apache.spark.sql.catalyst.util.CaseInsensitiveMap
import org.apache.spark.sql.execution.datasources.{HadoopFsRelation, InMemoryFileIndex, LogicalRelation}
import org.apache.spark.sql.execution.datasources.v2.{DataSourceV2Relation, V2ScanRelationPushDown}
import org.apache.spark.sql.execution.streaming.runtime.MetadataLogFileIndex
import org.apache.spark.sql.types.{StringType, StructType}
import org.apache.spark.sql.util.CaseInsensitiveStringMap
import shreddedvariant.Options
import shreddedvariant.delta.DeltaLog
import shreddedvariant.source.options.{GivenOptions, SourceOptions}
import shreddedvariant.source.table.{CatalogEntry, TableFiles}

/**
 * Replaces a path by the plan of `load`. The rule runs before Spark resolves tables, because Spark would list
 * the directory, which is wrong for a Delta table.
 */
object SqlPaths extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = plan.resolveOperators {
    case PathInSql(options, path) => load(path, options)
    case RelationTimeTravel(PathInSql(options, path), None, Some(version)) =>
      load(path, options + (Options.VersionAsOf -> version))
    case RelationTimeTravel(PathInSql(options, path), Some(Literal(time, StringType)), None)
        if time != null =>
      load(path, options + (Options.TimestampAsOf -> time.toString))
    case RelationTimeTravel(TableInSql(table), None, Some(version)) =>
      named(table, Options.VersionAsOf -> version)
    case RelationTimeTravel(TableInSql(table), Some(Literal(time, StringType)), None) if time != null =>
      named(table, Options.TimestampAsOf -> time.toString)
  }

  /** The rows of the table's path, under the table's name. */
  private def named(table: CatalogTable, asOf: (String, String)) = SubqueryAlias(
    SessionCatalog +: table.identifier.nameParts.takeRight(2),
    load(
      new Path(table.location).toString,
      CatalogEntry(table.properties ++ table.storage.properties, Nil).options + asOf +
        (TableFiles.OfCatalog -> "true")
    )
  )

  private def load(path: String, options: Map[String, String]) =
    UnresolvedDataSource(
      new ShreddedVariantSource().shortName(),
      None,
      CaseInsensitiveMap(options),
      isStreaming = false,
      Seq(path)
    )

  private object PathInSql {
    def unapply(plan: LogicalPlan): Option[(Map[String, String], String)] = plan match {
      case UnresolvedRelation(Seq(format, path), options, false)
          if CatalogEntry.isOurs(Some(format)) && conf.runSQLonFile && !path.isBlank && isPath(
            format,
            path
          ) =>
        val own = options.asCaseSensitiveMap.asScala.toMap.filterNot(
          _._1 == UnresolvedRelation.REQUIRED_WRITE_PRIVILEGES
        )
        Some((own, path))
      case _ => None
    }
  }

  /**
   * A Delta table in Spark's own catalog. Spark would refuse time travel there, because the catalog has no
   * versions.
   */
  private object TableInSql {
    def unapply(plan: LogicalPlan): Option[CatalogTable] = (plan, SparkSession.getActiveSession) match {
      case (relation: UnresolvedRelation, Some(session: org.apache.spark.sql.classic.SparkSession)) =>
        val (catalog, names) = (session.sessionState.catalog, relation.multipartIdentifier)
        val isNamed = names.size == 3 && names.head.equalsIgnoreCase(SessionCatalog)
        val isLocal = names.size <= 2 && session.catalog.currentCatalog() == SessionCatalog
        if (!isNamed && !isLocal || catalog.isTempView(names)) None
        else {
          val table = TableIdentifier(names.last, names.init.lastOption)
          Option.when(catalog.tableExists(table))(catalog.getTableMetadata(table))
            .filter(entry => CatalogEntry.isOurs(entry.provider) && isDelta(entry))
        }
      case _ => None
    }

    private def isDelta(table: CatalogTable) = table.storage.locationUri.exists(uri =>
      DeltaLog.isTable(new Path(uri), SparkSession.active.sessionState.newHadoopConf())
    )
  }

  /** The fixed name of Spark's own catalog. */
  private val SessionCatalog = "spark_catalog"

  /** A database may have the name of the format; Spark's own rules resolve its tables. */
  private def isPath(format: String, path: String) =
    path.contains('/') || !SparkSession.getActiveSession.exists {
      case session: org.apache.spark.sql.classic.SparkSession =>
        session.sessionState.catalog.databaseExists(format)
      case _ => false
    }
}

/**
 * Replaces Spark's V1 scans of files of this format by relations of this source. Such scans come from sessions
 * that got the jar after their start, which do not have [[SqlPaths]], and from session catalogs that are not
 * Spark's own. Law: the relation that replaces a scan has the same columns, with the expression ids of the
 * scan.
 */
object LateSqlPaths extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    var isChanged = false
    val changed = plan.transform { case relation: LogicalRelation =>
      ours(relation).fold[LogicalPlan](relation) { replaced => isChanged = true; replaced }
    }
    if (isChanged) V2ScanRelationPushDown(changed) else plan
  }

  private def ours(relation: LogicalRelation): Option[DataSourceV2Relation] = relation.relation match {
    case files: HadoopFsRelation
        if !relation.isStreaming && files.fileFormat.getClass == classOf[ShreddedVariantSource] =>
      val own = files.options.filterNot(o => CatalogEntry.isReserved(o._1))
      relation.catalogTable match {
        case Some(table) if isListed(table) =>
          val entry = CatalogEntry(table.properties ++ table.storage.properties, table.partitionColumnNames)
          val options = GivenOptions(own, entry.options).all
          withIds(relation, files, Seq(new Path(table.location).toString), options, Some(entry))
        case None if isListing(files) =>
          // The root paths are listed directories, not patterns.
          withIds(
            relation,
            files,
            files.location.rootPaths.map(_.toString),
            own + ("__globPaths__" -> "false"),
            None
          )
        case _ => None
      }
    case _ => None
  }

  private def isListing(files: HadoopFsRelation) = files.location match {
    case _: InMemoryFileIndex | _: MetadataLogFileIndex => true
    case _ => false
  }

  /** False if only the catalog lists the partitions; a Delta log always lists the files. */
  private def isListed(table: CatalogTable) = {
    val isInCatalog = table.tracksPartitionsInCatalog && table.partitionColumnNames.nonEmpty
    !isInCatalog || DeltaLog.isTable(
      new Path(table.location),
      SparkSession.active.sessionState.newHadoopConf()
    )
  }

  private def withIds(
      relation: LogicalRelation,
      files: HadoopFsRelation,
      paths: Seq[String],
      own: Map[String, String],
      entry: Option[CatalogEntry]
  ): Option[DataSourceV2Relation] = {
    val options = SourceOptions.withDefaults(own).all
    val schema = StructType(files.dataSchema ++ files.partitionSchema)
    val table = ShreddedVariantTable(TableFiles(paths, options, Some(schema), entry), Nil, Map.empty)
    val ours = DataSourceV2Relation.create(table, None, None, new CaseInsensitiveStringMap(options.asJava))
    val columns = ours.output ++ ours.metadataOutput
    val output = relation.output.map { old =>
      columns.find(c => c.name == old.name && DataTypeUtils.sameType(c.dataType, old.dataType)).map(
        _.withExprId(old.exprId).withQualifier(old.qualifier).asInstanceOf[AttributeReference]
      )
    }
    if (output.contains(None)) None else Some(ours.copy(output = output.flatten))
  }
}
