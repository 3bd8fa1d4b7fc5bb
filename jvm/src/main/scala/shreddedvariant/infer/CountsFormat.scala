/**
 * The byte format of counts. Numbers are unsigned, with seven bits in each byte, the lowest bits first.
 *
 * {{{
 *   counts   version (1) | rows | flags: 1 long names, 2 cut | limit, if cut | node
 *   node     kinds with a count, one bit each, and bits for: element 21, fields 22
 *            | the counts | largest integer, if integers were counted | integer digits, scale, if decimals were
 *            | element: node | fields: their number, then for each: length of name, name, node
 * }}}
 *
 * Fields are sorted by name.
 */
package shreddedvariant.infer

import java.io.ByteArrayOutputStream

import org.apache.parquet.bytes.BytesUtils.writeUnsignedVarLong

private[infer] object CountsFormat {
  final val Version = 1
  final val LongNames = 1
  final val Cut = 2
  final val Element = 1 << 21
  final val Fields = 1 << 22

  def write(rows: Long, limit: Long, longNames: Boolean, tree: Node): Array[Byte] = {
    val out = new ByteArrayOutputStream(1024)
    out.write(Version)
    writeUnsignedVarLong(rows, out)
    val isCut = limit != PathLimiter.Unlimited
    writeUnsignedVarLong((if (longNames) LongNames else 0L) | (if (isCut) Cut else 0L), out)
    if (isCut) writeUnsignedVarLong(limit, out)
    writeNode(out, tree)
    out.toByteArray
  }

  private def writeNode(out: ByteArrayOutputStream, node: Node): Unit = {
    val kinds = (0 until Kind.Count).filter(node.counts(_) > 0)
    var bits = kinds.foldLeft(0)((bits, kind) => bits | 1 << kind)
    if (node.element != null) bits |= Element
    if (node.fieldCount > 0) bits |= Fields
    writeUnsignedVarLong(bits.toLong, out)
    kinds.foreach(kind => writeUnsignedVarLong(node.counts(kind), out))
    if (kinds.exists(Kind.isInteger)) writeUnsignedVarLong(node.largest, out)
    if (kinds.exists(Kind.isDecimal)) {
      writeUnsignedVarLong(node.integerDigits.toLong, out)
      writeUnsignedVarLong(node.scale.toLong, out)
    }
    if (node.element != null) writeNode(out, node.element)
    if (node.fieldCount > 0) {
      writeUnsignedVarLong(node.fieldCount.toLong, out)
      node.sortedFields.foreach { field =>
        writeUnsignedVarLong(field.name.bytes.length.toLong, out)
        out.write(field.name.bytes, 0, field.name.bytes.length)
        writeNode(out, field)
      }
    }
  }
}
