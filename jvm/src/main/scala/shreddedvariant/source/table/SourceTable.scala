/** The interface of the table of this source for rules over plans. */
package shreddedvariant.source.table

import shreddedvariant.rules.PathTable

trait SourceTable extends PathTable {
  def files: TableFiles
}
