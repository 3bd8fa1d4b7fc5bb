/** The table of this source, as rules that meet it in a plan see it. */
package shreddedvariant.source.table

import shreddedvariant.rules.PathTable

trait SourceTable extends PathTable {
  def files: TableFiles
}
