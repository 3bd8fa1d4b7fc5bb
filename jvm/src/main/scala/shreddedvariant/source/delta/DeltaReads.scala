/**
 * Decides whether a query may read a Delta table. Law: if it does not, its rows do not depend on the rows of the
 * table, so an append of them has the same result before and after any other commit. Only leaves that are
 * known to read something else, or nothing, do not count as a read.
 *
 * Relations of this source name the table by its id, since a path has many spellings. Others name files or
 * directories.
 */
package shreddedvariant.source.delta

import java.io.IOException
import java.nio.file.{Path => File, Paths}

import scala.annotation.tailrec
import scala.collection.mutable
import scala.jdk.CollectionConverters._

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.plans.logical._
import org.apache.spark.sql.classic.SparkSession
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.{ExternalRDD, LogicalRDD}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{
  CatalogFileIndex,
  FileIndex,
  HadoopFsRelation,
  LogicalRelation,
  PartitioningAwareFileIndex
}
import org.apache.spark.sql.execution.datasources.v2._
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution
import shreddedvariant.{Options, SparkBridge}
import shreddedvariant.delta.DeltaSnapshot
import shreddedvariant.source.table.{DeltaPathCheck, SourceTable}

final class DeltaReads(table: DeltaSnapshot, conf: Configuration) {
  private val root = qualified(new Path(table.root)).get

  def of(query: LogicalPlan): Boolean = query.collectWithSubqueries {
    case leaf if leaf.children.isEmpty => isRead(leaf)
  }.contains(true)

  /** The versions of the table that a query reads, except those that options choose. */
  def versions(query: LogicalPlan): Seq[DeltaSnapshot] = query.collectWithSubqueries {
    case r: DataSourceV2Relation => version(r.table)
    case s: DataSourceV2ScanRelation => version(s.relation.table)
    case c: InMemoryRelation => versions(c.cacheBuilder.logicalPlan)
  }.flatten

  private def version(other: Table): Seq[DeltaSnapshot] = other match {
    case ours: SourceTable if Options.versionKey(ours.files.options).isEmpty =>
      ours.files.delta.filter(_.id == table.id).toSeq
    case _ => Nil
  }

  private def isRead(leaf: LogicalPlan): Boolean = leaf match {
    case _: LocalRelation | _: Range | _: OneRowRelation => false
    // The plan has the query that they name.
    case _: CTERelationRef | _: UnionLoopRef => false
    case l: LogicalRelation =>
      l.relation match {
        case files: HadoopFsRelation => holds(files.location)
        case _ => true
      }
    case r: DataSourceV2Relation => isTable(r.table)
    case s: DataSourceV2ScanRelation => isTable(s.relation.table)
    case s: StreamingDataSourceV2Relation => isTable(s.table)
    case s: StreamingDataSourceV2ScanRelation => isTable(s.relation.table)
    case c: InMemoryRelation => of(c.cacheBuilder.logicalPlan)
    case r: LogicalRDD => batch(r.rdd).fold(isRead(r.rdd))(of)
    case r: ExternalRDD[_] => isRead(r.rdd)
    case _ => true
  }

  private def isTable(other: Table): Boolean = other match {
    case ours: SourceTable => ours.files.delta.fold(holds(ours.files.index))(_.id == table.id)
    case files: FileTable => holds(files.fileIndex)
    case _ => true
  }

  /** The plan of the micro-batch that this thread writes, if the RDD has its rows: `foreachBatch` gets rows without their plan. */
  private def batch(rdd: RDD[_]): Option[LogicalPlan] = {
    val spark = SparkSession.active
    val query = spark.sparkContext.getLocalProperty(StreamExecution.QUERY_ID_KEY)
    SparkBridge.streams(spark).asScala.find(_.id.toString == query).map(_.lastExecution)
      .filter(execution => execution != null && (execution.toRdd eq rdd)).map(_.analyzed)
  }

  /**
   * Whether an RDD may have rows of the table. An RDD of a query does not tell what the query reads: what it
   * broadcasts, its subqueries, and scans in which no file is left are not in its lineage. A checkpoint, also a
   * lazy one, is made of such RDDs.
   */
  private def isRead(rdd: RDD[_]): Boolean = {
    val visited = mutable.Set.empty[Int]
    @tailrec def anyOf(rdds: List[RDD[_]]): Boolean = rdds match {
      case Nil => false
      case one :: rest if !visited.add(one.id) || SparkBridge.isOfRows(one) => anyOf(rest)
      case one :: rest =>
        val parents = one.dependencies.map(_.rdd)
        parents.isEmpty || SparkBridge.isCheckpoint(one) || one.getClass.getName.startsWith(
          "org.apache.spark.sql."
        ) ||
        anyOf(parents.toList ++ rest)
    }
    anyOf(List(rdd))
  }

  // ---- files ----

  private def holds(index: FileIndex): Boolean = index match {
    // A partition can be anywhere.
    case catalog: CatalogFileIndex if catalog.partitionSchema.nonEmpty => holds(catalog.filterPartitions(Nil))
    case listed: PartitioningAwareFileIndex =>
      listed.rootPaths.exists(isPart) || listed.rootPaths.exists(isLocal) &&
      listed.allFiles().exists(file => isPart(file.getPath))
    case other => other.rootPaths.exists(isPart)
  }

  /** Whether a path is inside the table or a directory above it. */
  private def isPart(path: Path): Boolean =
    qualified(path).forall(full =>
      DeltaPathCheck.isBelow(full, root) || DeltaPathCheck.isBelow(root, full)
    )

  private def isLocal(path: Path) = qualified(path).forall(_.toUri.getScheme == "file")

  /** The path without links, as far as it exists. The configuration of the write may lack a file system of the query. */
  private def qualified(path: Path): Option[Path] =
    try {
      val full = path.getFileSystem(conf).makeQualified(path)
      val uri = full.toUri
      Some(if (uri.getScheme == "file") new Path("file", null, real(Paths.get(uri.getPath)).toString)
      else full)
    } catch { case _: IOException | _: IllegalArgumentException => None }

  private def real(file: File): File =
    try file.toRealPath()
    catch {
      case _: IOException if file.getParent != null => real(file.getParent).resolve(file.getFileName)
    }
}
