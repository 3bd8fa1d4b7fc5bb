/** The interfaces of tables and scans whose paths can become columns. */
package shreddedvariant.rules

import org.apache.spark.sql.connector.catalog.Table
import org.apache.spark.sql.connector.read.Scan
import shreddedvariant.layout.PathColumn

trait PathTable extends Table {

  /** The paths that this table has as hidden columns. */
  def pathColumns: Seq[PathColumn]

  def withPathColumns(columns: Seq[PathColumn]): PathTable

  /** The same table, with the reasons why variants and maps are read whole, by column. */
  def withWhole(reasons: Map[String, String]): PathTable
}

/** A scan that shows these reasons, by column. */
trait PathScan extends Scan {
  def whole: Map[String, String]
  def withWhole(reasons: Map[String, String]): PathScan
}
