/**
 * Whether a query reads a Delta table. Law: where it does not, its rows do not depend on what the table holds, so an
 * append of them means the same before and after any other commit. Where that cannot be told, it reads the table.
 *
 * Our own relations name the table by its id, since a path has many spellings. Others name files or directories.
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

  private def isTable(read: Table): Boolean = read match {
    case ours: SourceTable =>
      ours.files.delta.fold(ours.files.index.rootPaths.exists(isPart))(_.id == table.id)
    case files: FileTable => files.fileIndex.rootPaths.exists(isPart)
    case _ => false
  }

  /** What a checkpoint of an RDD was made of is not known any more. */
  private def isRead(rdd: RDD[_]): Boolean = {
    val seen = new java.util.IdentityHashMap[RDD[_], RDD[_]]
    def reads(rdd: RDD[_]): Boolean = seen.put(rdd, rdd) == null && (rdd.isCheckpointed || (rdd match {
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

  /** Within the table, or a directory that the table lies in. */
  private def isPart(path: Path): Boolean = {
    // The query may know file systems that the write does not.
    val full =
      try Some(path.getFileSystem(conf).makeQualified(path))
      catch { case _: IOException | _: IllegalArgumentException => None }
    full.forall(full => DeltaPathCheck.isBelow(full, root) || DeltaPathCheck.isBelow(root, full))
  }
}
