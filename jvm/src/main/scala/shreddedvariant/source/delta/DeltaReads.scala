/**
 * Decides whether a query reads a Delta table. Law: if it does not, its rows do not depend on the rows of the
 * table, so an append of them has the same result before and after any other commit. If that is unknown, the
 * answer is yes.
 *
 * Relations of this source name the table by its id, since a path has many spellings. Others name files or
 * directories.
 */
package shreddedvariant.source.delta

import java.io.IOException

import org.apache.hadoop.conf.Configuration
import org.apache.hadoop.fs.Path
import org.apache.spark.rdd.RDD
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan
import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.execution.{ExternalRDD, LogicalRDD}
import org.apache.spark.sql.execution.columnar.InMemoryRelation
import org.apache.spark.sql.execution.datasources.{
  FilePartition,
  FileScanRDD,
  HadoopFsRelation,
  LogicalRelation
}
import org.apache.spark.sql.execution.datasources.v2._
import shreddedvariant.delta.DeltaSnapshot
import shreddedvariant.source.scan.FilteredPartition
import shreddedvariant.source.table.{DeltaPathCheck, SourceTable}

final class DeltaReads(table: DeltaSnapshot, conf: Configuration) {
  private val root = new Path(table.root)

  def of(query: LogicalPlan): Boolean = query.collectWithSubqueries {
    case l: LogicalRelation =>
      l.relation match {
        case files: HadoopFsRelation => files.location.rootPaths.exists(isPart)
        case _ => false
      }
    case r: DataSourceV2Relation => isTable(r.table)
    case s: DataSourceV2ScanRelation => isTable(s.relation.table)
    case s: StreamingDataSourceV2Relation => isTable(s.table)
    case s: StreamingDataSourceV2ScanRelation => isTable(s.relation.table)
    case c: InMemoryRelation => of(c.cacheBuilder.logicalPlan)
    case r: LogicalRDD => isRead(r.rdd)
    case r: ExternalRDD[_] => isRead(r.rdd)
  }.contains(true)

  private def isTable(other: Table): Boolean = other match {
    case ours: SourceTable =>
      ours.files.delta.fold(ours.files.index.rootPaths.exists(isPart))(_.id == table.id)
    case files: FileTable => files.fileIndex.rootPaths.exists(isPart)
    case _ => false
  }

  /** A checkpointed RDD does not have the RDDs that it was computed from, so it counts as a read. */
  private def isRead(rdd: RDD[_]): Boolean = {
    val visited = new java.util.IdentityHashMap[RDD[_], RDD[_]]
    def reads(rdd: RDD[_]): Boolean = visited.put(rdd, rdd) == null && (rdd.isCheckpointed || (rdd match {
      case scan: FileScanRDD => scan.filePartitions.exists(holds)
      case scan: DataSourceRDD =>
        scan.partitions.exists {
          case one: DataSourceRDDPartition =>
            one.inputPartition.exists {
              case files: FilePartition => holds(files)
              case filtered: FilteredPartition => holds(filtered.files)
              case _ => false
            }
          case _ => false
        }
      case other => other.dependencies.exists(dependency => reads(dependency.rdd))
    }))
    reads(rdd)
  }

  private def holds(files: FilePartition): Boolean = files.files.exists(file => isPart(file.toPath))

  /** Whether a path is inside the table or a directory above it. */
  private def isPart(path: Path): Boolean = {
    // The configuration of the write may lack a file system of the query; then the answer is yes.
    val full =
      try Some(path.getFileSystem(conf).makeQualified(path))
      catch { case _: IOException | _: IllegalArgumentException => None }
    full.forall(full => DeltaPathCheck.isBelow(full, root) || DeltaPathCheck.isBelow(root, full))
  }
}
