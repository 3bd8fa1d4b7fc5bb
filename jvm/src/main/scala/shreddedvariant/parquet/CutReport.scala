/** Hears from the writers of files, wherever they run, of columns whose counts do not know all paths or keys. */
package shreddedvariant.parquet

trait CutReport extends Serializable {
  def add(column: Seq[String]): Unit
}

object CutReport {

  /** For writers that nobody waits for. */
  case object Unheard extends CutReport {
    override def add(column: Seq[String]): Unit = ()
  }
}
