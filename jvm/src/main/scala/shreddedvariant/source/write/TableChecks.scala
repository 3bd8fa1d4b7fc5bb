/**
 * Checks CREATE, REPLACE and ALTER of tables in a catalog while they are plans: before Spark creates, drops or
 * writes. Loading a table checks nothing, because Spark has to load a table to correct its properties.
 */
package shreddedvariant.source.write

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.sql.{SaveMode, SparkSession}
import org.apache.spark.sql.catalyst.analysis.{ResolvedIdentifier, ResolvedTable}
import org.apache.spark.sql.catalyst.catalog.CatalogUtils
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.catalyst.util.CharVarcharUtils
import org.apache.spark.sql.connector.catalog.{Identifier, TableCatalog, TableChange}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.command.DataWritingCommand
import org.apache.spark.sql.execution.datasources.LogicalRelation
import org.apache.spark.sql.execution.datasources.v2.DataSourceV2Relation
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types.{DataType, Metadata, StructType}
import shreddedvariant.{Errors, Options, SharedFile, SparkBridge}
import shreddedvariant.delta.{AsOf, DeltaLog}
import shreddedvariant.source.delta.DeltaOptions
import shreddedvariant.source.options.{GivenOptions, MapColumns, SourceOptions, VariantColumns}
import shreddedvariant.source.table.{CatalogEntry, DeltaPathCheck, SourceTable, TableFiles}

object TableChecks extends (LogicalPlan => Unit) {
  override def apply(plan: LogicalPlan): Unit = plan match {
    case c: CreateTable => for (table <- ours(c, c.tableSpec) if table.isNew) table.checkEmpty()
    case c: CreateTableAsSelect =>
      for (table <- ours(c, c.tableSpec) if table.isNew) table.checkFilled(c.writeOptions)
    case r: ReplaceTable => for (table <- ours(r, r.tableSpec)) table.checkEmpty()
    case r: ReplaceTableAsSelect =>
      for (table <- ours(r, r.tableSpec)) table.checkReplaced(r.writeOptions, r.query)
    case alter: AlterTableCommand =>
      alter.table match {
        case ResolvedTable(_, _, table: SourceTable, _) => checkChanges(table, alter.changes)
        case _ =>
      }
    case _ =>
  }

  /** The table that a plan creates or replaces, if it has this format. */
  private def ours(plan: V2CreateTablePlan, spec: TableSpecBase): Option[NewTable] = (plan.name, spec) match {
    case (ResolvedIdentifier(catalog: TableCatalog, name), spec: TableSpec)
        if CatalogEntry.isOurs(spec.provider) =>
      Some(new NewTable(catalog, name, spec, plan))
    case _ => None
  }

  def noDefault(column: String) =
    Errors.tableColumn(column, "cannot have a default", "state the value in each INSERT")

  /**
   * Spark keeps the type of a column with CHAR or VARCHAR inside as text, which it does not change when a field
   * is added to the column.
   */
  private def refuseBesideChar(table: SourceTable, add: TableChange.AddColumn): Unit =
    for (field <- table.files.schema.find(f => SQLConf.get.resolver(f.name, add.fieldNames.head)))
      if (add.fieldNames.length > 1 && CharVarcharUtils.getRawType(field.metadata).isDefined)
        throw Errors.tableColumn(
          add.fieldNames.mkString("."),
          s"cannot be added, because '${field.name}' has CHAR or VARCHAR fields",
          "create a table with the new columns and INSERT into it"
        )

  /** Files have the names and types of columns, so a table of files takes only new columns and comments. */
  private def checkChanges(table: SourceTable, changes: Seq[TableChange]): Unit = {
    def isOfFiles = table.files.delta.isEmpty
    changes.collectFirst {
      case change: TableChange.ColumnChange if isOfFiles && !PartitionsLast.holds(table) =>
        throw Errors.tableColumn(
          change.fieldNames.mkString("."),
          "cannot be altered while the partition columns are not the last columns",
          "create a table with the partition columns last and INSERT into it"
        )
    }
    changes.foreach {
      case _: TableChange.UpdateColumnComment if isOfFiles =>
      case add: TableChange.AddColumn if isOfFiles =>
        val column = add.fieldNames.mkString(".")
        if (add.defaultValue != null) throw noDefault(column)
        if (!add.isNullable)
          throw Errors.tableColumn(
            column,
            "cannot be added as NOT NULL",
            "add it without NOT NULL, because the existing rows have no value for it"
          )
        refuseBesideChar(table, add)
        val (name, path) = (add.fieldNames.last, add.fieldNames.init.toSeq)
        MapColumns.refuseReserved(new StructType().add(name, add.dataType), path)
      case change: TableChange.ColumnChange =>
        val instead =
          if (isOfFiles) "create a table with the new columns and INSERT into it"
          else "write with the option mergeSchema or overwriteSchema and save(path)"
        throw Errors.tableColumn(change.fieldNames.mkString("."), "cannot be altered in this way", instead)
      case _ =>
    }
    val before = table.files.catalog.fold(Map.empty[String, String])(_.properties)
    val after = changes.foldLeft(before) {
      case (all, set: TableChange.SetProperty) => all + (set.property -> set.value)
      case (all, remove: TableChange.RemoveProperty) => all - remove.property
      case (all, _) => all
    }
    // Removals are not checked: options that are wrong already must not prevent the removal of a property.
    if (changes.exists(_.isInstanceOf[TableChange.SetProperty]))
      new VariantColumns(table.files.schema, SQLConf.get.caseSensitiveAnalysis).checkTable(
        SourceOptions.withDefaults(CatalogEntry(after, Nil).options)
      )
  }
}

/** The checks of a table that is about to be created. */
private final class NewTable(
    catalog: TableCatalog,
    name: Identifier,
    spec: TableSpec,
    plan: V2CreateTablePlan
) {
  private lazy val columns: StructType = plan match {
    case filled: V2CreateTableAsSelectPlan => filled.query.schema
    case _ => plan.tableSchema
  }
  private val entry = CatalogEntry(spec.properties ++ spec.options, Nil)
  private lazy val location = spec.location.map(text => new Path(CatalogUtils.stringToURI(text)))
  private def conf(options: Map[String, String]): Configuration =
    SparkSession.active.sessionState.newHadoopConfWithOptions(options)

  /** If the table exists, Spark's own rules apply. */
  def isNew: Boolean = !catalog.tableExists(name)

  /** For CREATE TABLE and REPLACE TABLE. */
  def checkEmpty(): Unit = {
    plan.columns.find(_.defaultValue.isDefined).foreach(column => throw TableChecks.noDefault(column.name))
    check(Map.empty, _.checkTable(_))
    refusePartitionsOnly()
  }

  private def refusePartitionsOnly(): Unit =
    if (columns.nonEmpty && columns.size == partitionColumns.size)
      throw Errors.onlyPartitionColumns(name.name)

  private def check(
      writeOptions: Map[String, String],
      checkColumns: (VariantColumns, GivenOptions) => Unit
  ): Unit = {
    val own = GivenOptions(writeOptions.filterNot(o => CatalogEntry.isReserved(o._1)), entry.options).all
    val options = SourceOptions.withDefaults(own)
    Options.check(options.all)
    plan.partitioning.find(!CatalogEntry.isIdentity(_)).foreach(by =>
      throw Errors.tablePartitioning(by.describe)
    )
    val hadoop = conf(options.all)
    location.foreach(DeltaPathCheck.checkAbove(_, hadoop))
    val delta = location.filter(DeltaLog.isCommitted(_, hadoop)).map(DeltaLog.open(_, AsOf.Newest, hadoop))
    if (delta.isDefined || Options.get(options.all, Options.Table).exists(_.equalsIgnoreCase("delta")))
      DeltaOptions.checkTable(delta.fold(name.name)(_.root), options.all)
    for (table <- delta; (key, value) <- entry.deltaProperties if !table.properties.get(key).contains(value))
      throw Errors.deltaOption(table.root, key, "the table exists, and ALTER TABLE changes its properties")
    for (table <- delta if columns.nonEmpty) {
      if (plan.partitioning.nonEmpty && partitionColumns != table.partitionColumns)
        throw Errors.deltaPartitioning(table.root, table.partitionColumns, partitionColumns)
      // The log has the order of the columns, and a Hive metastore has the partition columns last.
      def sorted(schema: StructType) = TableFiles.partitionsLast(types(schema), table.partitionColumns)
      if (!DataType.equalsIgnoreNullability(sorted(columns), sorted(table.schema)))
        throw Errors.deltaTableColumns(table.root, name.name)
    }
    val schema =
      if (columns.nonEmpty) columns
      else if (delta.isDefined) delta.get.schema
      else if (location.isDefined)
        TableFiles(Seq(location.get.toString), options.all, None, Some(entry)).schema
      else throw Errors.noPath()
    checkColumns(new VariantColumns(schema, SQLConf.get.caseSensitiveAnalysis), options)
  }

  /** Checks the write too, which Spark runs only after it has created the table or dropped the former table. */
  private def checkWrite(options: Map[String, String]): Unit = {
    check(options, (columns, merged) => { columns.writeJob(merged); () })
    refusePartitionsOnly()
  }

  /** For CREATE TABLE AS SELECT: files that are already at the location would become part of the table. */
  def checkFilled(writeOptions: Map[String, String]): Unit = {
    location.foreach(path =>
      DataWritingCommand.assertEmptyRootPath(path.toUri, SaveMode.ErrorIfExists, conf(entry.options))
    )
    checkWrite(writeOptions)
  }

  /** For REPLACE TABLE AS SELECT: Spark drops the former table before it runs the query. */
  def checkReplaced(writeOptions: Map[String, String], query: LogicalPlan): Unit = {
    checkWrite(writeOptions)
    val former =
      if (!catalog.tableExists(name)) None
      else
        catalog.loadTable(name) match {
          case table: SourceTable => table.files.paths.headOption.map(new Path(_))
          case _ => None
        }
    val hadoop = conf(entry.options)
    def qualified(path: Path) = path.getFileSystem(hadoop).makeQualified(path)
    val dropped = (former ++ location).map(qualified).toSeq
    // The commit of a Delta table is refused only after Spark has dropped the former table.
    val options = SourceOptions.withDefaults(GivenOptions(writeOptions, entry.options).all).all
    if (Options.isDelta(options) || dropped.exists(DeltaLog.isCommitted(_, hadoop)))
      dropped.foreach(SharedFile.check(_, hadoop, options))
    val isRead = WriteCheck.inputs(query).exists(root => dropped.exists(DeltaPathCheck.isBelow(root, _)))
    if (isRead || reads(query))
      throw Errors.overwriteOfInput(dropped.headOption.fold(name.name)(_.toString))
  }

  /** Whether a query reads the table with this name, in any format. */
  private def reads(query: LogicalPlan): Boolean = query.collectWithSubqueries {
    case r: DataSourceV2Relation => r.catalog.exists(_.name == catalog.name) && r.identifier.contains(name)
    case l: LogicalRelation =>
      l.catalogTable.map(_.identifier).exists(t =>
        t.table == name.name && t.database.exists(name.namespace.lastOption.contains(_))
      )
    case cached: InMemoryRelation => reads(cached.cacheBuilder.logicalPlan)
  }.contains(true)

  private def partitionColumns = plan.partitioning.map(_.references.head.fieldNames.head)
  private def types(schema: StructType) =
    StructType(SparkBridge.asNullable(schema).map(f => f.copy(metadata = Metadata.empty)))
}
