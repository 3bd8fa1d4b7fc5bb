/**
 * Damaged pages of each encoding that this data source decodes give values or a decoding error: decoders write
 * nothing outside of their pages, allocate no array that the size of the page does not justify, and throw no
 * other exception.
 *
 * `make test` damages ten thousand pages, FUZZ=1 a million; SEED=123 runs the pages of one seed again.
 */
package shreddedvariant.parquet.page

import scala.util.Random

import org.apache.parquet.io.ParquetDecodingException
import shreddedvariant.{Fuzz, ShreddedVariantException}

class PageFuzzSuite extends shreddedvariant.Suite {
  import PageFuzz._

  private val seed = sys.env.get("SEED").fold(11L)(_.toLong)
  private val perKind = (if (Fuzz.isLong) 1000000 else 10000) / kinds.size

  for (kind <- kinds) test(s"damaged pages: ${kind.name}".tag(Fuzz)) {
    val random = new Random(seed)
    var (values, refused) = (0, 0)
    for (i <- 0 until perKind) {
      val page = kind.page(random)
      val damaged = if (i % 50 == 0) page else page.damaged(random)
      try {
        damaged.decode(random)
        values += 1
      } catch {
        case _: ParquetDecodingException | _: ShreddedVariantException =>
          refused += 1
          if (damaged eq page) fail(s"page $i of seed $seed is refused although it is undamaged")
        case e: Throwable => fail(s"page $i of seed $seed: $e", e)
      }
    }
    assert(values >= perKind / 50 && refused > 0, s"$values pages gave values, $refused were refused")
  }
}
