/** Finds which keys of an object are fields of the shape, and which fields the object lacks. */
package shreddedvariant.shred

import shreddedvariant.binary.{Encoding, Names, ObjectFields, ObjectHeader, ResolvedDictionary}
import shreddedvariant.layout.Shape

private[shred] final class FieldLookup(fields: Array[String], names: Names) {

  /** The field of each name; -1 for names that are not fields of this object. */
  private val fieldOfName = Array.fill(names.size)(-1)
  for (i <- fields.indices) {
    val key = Shape.utf8(fields(i))
    fieldOfName(names.find(key, 0, key.length)) = i
  }

  def apply(header: ObjectHeader, dictionary: ResolvedDictionary): ObjectFields = {
    val fieldOfKey = new Array[Int](header.size)
    val isPresent = new Array[Boolean](fields.length)
    var i = 0
    while (i < fieldOfKey.length) {
      val name = dictionary.nameOfId(dictionary.dictionary.checkId(header.id(i)))
      val field = if (name < 0) -1 else fieldOfName(name)
      fieldOfKey(i) = field
      if (field >= 0) {
        if (isPresent(field)) Encoding.malformed(s"it holds the key '${fields(field)}' twice")
        isPresent(field) = true
      }
      i += 1
    }
    new ObjectFields(header.keys, fieldOfKey, fields.indices.filterNot(isPresent(_)).toArray)
  }
}

private[shred] object FieldLookup {

  /** The names of all fields in a shape, with repeats. */
  def namesOf(shape: Shape): Seq[String] = shape match {
    case Shape.Object(fields) => fields.flatMap { case (name, field) => name +: namesOf(field) }
    case Shape.Array(element) => namesOf(element)
    case _ => Nil
  }
}
