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
 * Reads a path as `load` would. This is before Spark looks for tables, since Spark itself would list the directory, which
 * must not be done to a Delta table.
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

  /** What the table's path holds, under the table's name. */
  private def named(table: CatalogTable, asOf: (String, String)) = SubqueryAlias(
    SessionCatalog +: table.identifier.nameParts.takeRight(2),
    load(
      new Path(table.location).toString,
      CatalogEntry(table.properties ++ table.storage.properties, Nil).options + asOf
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
   * A Delta table that Spark's own catalog knows by a name: Spark itself would say of the catalog that it has no versions.
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
            .filter(found => CatalogEntry.isOurs(found.provider) && isDelta(found))
        }
      case _ => None
    }

    private def isDelta(table: CatalogTable) = table.storage.locationUri.exists(uri =>
      DeltaLog.isTable(new Path(uri), SparkSession.active.sessionState.newHadoopConf())
    )
  }

  /** Spark's own catalog, by the name that cannot be changed. */
  private val SessionCatalog = "spark_catalog"

  /** A database may have our name; Spark's own rules see to its tables. */
  private def isPath(format: String, path: String) =
    path.contains('/') || !SparkSession.getActiveSession.exists {
      case session: org.apache.spark.sql.classic.SparkSession =>
        session.sessionState.catalog.databaseExists(format)
      case _ => false
    }
}

/**
 * The same for plans that hold Spark's own scan of our files already: sessions that got the jar after their start have no
 * rule of ours before that, and a session catalog that is not Spark's own gives such plans for tables. Law: the relation
 * in its place has the same columns, with the ids that the plan knows.
 */
object LateSqlPaths extends Rule[LogicalPlan] {
  override def apply(plan: LogicalPlan): LogicalPlan = {
    var isChanged = false
    val replaced = plan.transform { case relation: LogicalRelation =>
      ours(relation).fold[LogicalPlan](relation) { found => isChanged = true; found }
    }
    if (isChanged) V2ScanRelationPushDown(replaced) else plan
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
          // What was listed is no pattern.
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

  /** Some catalogs, and not the directory, say which partitions there are; a log says it even so. */
  private def isListed(table: CatalogTable) = {
    val isKnown = table.tracksPartitionsInCatalog && table.partitionColumnNames.nonEmpty
    !isKnown || DeltaLog.isTable(new Path(table.location), SparkSession.active.sessionState.newHadoopConf())
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
    val found = relation.output.map { wanted =>
      columns.find(c => c.name == wanted.name && DataTypeUtils.sameType(c.dataType, wanted.dataType)).map(
        _.withExprId(wanted.exprId).withQualifier(wanted.qualifier).asInstanceOf[AttributeReference]
      )
    }
    if (found.contains(None)) None else Some(ours.copy(output = found.flatten))
  }
}
