/**
 * The bytes of counts. Numbers are unsigned, seven bits a byte, the lowest first.
 *
 * {{{
 *   counts   version (1) | rows | flags: 1 long names, 2 cut | limit, if cut | node
 *   node     kinds with a count, one bit each, and bits for: element 21, fields 22
 *            | the counts | largest integer, if one was counted | integer digits, scale, if decimals were
 *            | element: node | fields: how many, then each: length of name, name, node
 * }}}
 *
 * Fields are in the order of their names.
 */
package shreddedvariant.infer

import java.io.ByteArrayOutputStream

private[infer] object CountsFormat {
  final val Version = 1
  final val LongNames = 1
  final val Cut = 2
  final val Element = 1 << 21
  final val Fields = 1 << 22

  def write(rows: Long, limit: Long, longNames: Boolean, tree: Node): Array[Byte] = {
    val out = new ByteArrayOutputStream(1024)
    out.write(Version)
    number(out, rows)
    val isCut = limit != PathLimiter.Unlimited
    number(out, (if (longNames) LongNames else 0L) | (if (isCut) Cut else 0L))
    if (isCut) number(out, limit)
    writeNode(out, tree)
    out.toByteArray
  }

  private def writeNode(out: ByteArrayOutputStream, node: Node): Unit = {
    val kinds = (0 until Kind.Count).filter(node.counts(_) > 0)
    var bits = kinds.foldLeft(0)((bits, kind) => bits | 1 << kind)
    if (node.element != null) bits |= Element
    if (node.fieldCount > 0) bits |= Fields
    number(out, bits.toLong)
    kinds.foreach(kind => number(out, node.counts(kind)))
    if (kinds.exists(Kind.isInteger)) number(out, node.largest)
    if (kinds.exists(Kind.isDecimal)) {
      number(out, node.integerDigits.toLong)
      number(out, node.scale.toLong)
    }
    if (node.element != null) writeNode(out, node.element)
    if (node.fieldCount > 0) {
      number(out, node.fieldCount.toLong)
      node.sortedFields.foreach { field =>
        number(out, field.name.bytes.length.toLong)
        out.write(field.name.bytes, 0, field.name.bytes.length)
        writeNode(out, field)
      }
    }
  }

  private def number(out: ByteArrayOutputStream, value: Long): Unit = {
    var rest = value
    while (rest > 0x7f) {
      out.write((rest & 0x7f | 0x80).toInt)
      rest >>>= 7
    }
    out.write(rest.toInt)
  }
}
