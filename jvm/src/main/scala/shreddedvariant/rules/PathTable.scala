/** What tables and scans offer so that paths of variants become columns; those of the source do. */
package shreddedvariant.rules

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.read.Scan
import shreddedvariant.layout.PathColumn

trait PathTable extends Table {

  /** The paths that this table has as columns, behind its own ones. */
  def pathColumns: Seq[PathColumn]

  def withPathColumns(columns: Seq[PathColumn]): PathTable

  /** The same table, which says of variants that are read whole why they are, by column. */
  def withWhole(reasons: Map[String, String]): PathTable
}

/** A scan that shows these reasons, by column. */
trait PathScan extends Scan {
  def whole: Map[String, String]
  def withWhole(reasons: Map[String, String]): PathScan
}
