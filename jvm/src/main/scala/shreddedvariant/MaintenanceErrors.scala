/** The error sentences about maintenance of tables, a part of [[Errors]]. */
package shreddedvariant

private[shreddedvariant] trait MaintenanceErrors extends Sentences {
  def maintenanceOption(key: String, reason: String): ShreddedVariantException =
    error(
      "MAINTENANCE_OPTION",
      s"The option '$key' is internal to compact, reshred, unshred and verify ($reason): " +
        "call these functions of the Python package, or remove the option."
    )

  def storedObject(path: String): ShreddedVariantException =
    error(
      "CONFLICT",
      s"At '$path' an object is stored in value and its typed column is null, so readers of its shredded keys miss them: " +
        "the file breaks the shredding layout, so write it again."
    )

  def deltaRowTracking(path: String): ShreddedVariantException =
    error(
      "DELTA_FEATURE",
      s"The Delta table '$path' has the property delta.enableRowTracking, with which its files cannot be rewritten in " +
        "this version, because rows would lose their ids: use OPTIMIZE of format(\"delta\")."
    )
}
