/** What a table must offer so that paths of its variants become columns; the source's table does. */
package shreddedvariant.rules

import org.apache.spark.sql.connector.catalog.Table
import shreddedvariant.layout.PathColumn

trait PathTable extends Table {

  /** The paths that this table has as columns, behind its own ones. */
  def pathColumns: Seq[PathColumn]

  def withPathColumns(columns: Seq[PathColumn]): PathTable

  /** The same table, which says of variants that are read whole why they are, by column. */
  def withWhole(reasons: Map[String, String]): PathTable
}
