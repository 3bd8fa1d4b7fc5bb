/** Shredded objects and arrays of any allowed depth are read in time that grows with their depth alone. */
package shreddedvariant.parquet.read

import shreddedvariant.{ShreddedVariantException, Value, VariantFile}
import shreddedvariant.layout.{ScalarType, Shape, WriteLayout}

class DeepShreddingSuite extends shreddedvariant.Suite {
  private def objects(levels: Int): (Value, Shape) =
    (0 until levels).foldLeft[(Value, Shape)](
      (Value.Integer(7, 1), Shape.Scalar(ScalarType.Int64))
    ) { case ((value, shape), _) =>
      (Value.Obj(Map("a" -> value, "b" -> Value.Bool(true))), Shape.objectOf(Seq("a" -> shape)))
    }

  private def arrays(levels: Int): (Value, Shape) =
    (0 until levels).foldLeft[(Value, Shape)](
      (Value.Integer(7, 1), Shape.Scalar(ScalarType.Int64))
    ) { case ((value, shape), _) => (Value.Arr(Seq(value)), Shape.Array(shape)) }

  private val shapes = Seq[(String, Int => (Value, Shape))]("objects" -> objects, "arrays" -> arrays)

  private def seconds(body: => Any): Double = {
    val start = System.nanoTime
    body
    (System.nanoTime - start) / 1e9
  }

  for ((name, layout) <- WriteLayout.all; (what, of) <- shapes)
    test(s"$what that are shredded in many levels are read in seconds ($name)") {
      for (levels <- Seq(100, if (what == "arrays") 300 else 500)) VariantFile.withFile { file =>
        withLargeStack {
          val (value, shape) = of(levels)
          VariantFile.write(file, Seq.fill(3)(Value.encode(value)), shape, layout = layout)
          val took = seconds {
            assertEquals(VariantFile.read(file).size, 3)
            assertEquals(VariantFile.readJson(file).map(_.count(_ == '7')), Seq(1, 1, 1))
          }
          assert(took < 10, s"$levels levels took $took s")
        }
        // The stack of this thread may be too small: then the error says so.
        try assertEquals(checked(VariantFile.readJson(file)).size, 3)
        catch {
          case e: ShreddedVariantException => assertEquals(e.condition, "SHREDDED_VARIANT_SCHEMA_TOO_DEEP")
        }
      }
    }

  for ((name, layout) <- WriteLayout.all)
    test(s"a variant that is shredded in more levels than are read is refused at once ($name)") {
      VariantFile.withFile { file =>
        withLargeStack {
          val (value, shape) = objects(900)
          VariantFile.write(file, Seq(Value.encode(value)), shape, layout = layout)
        }
        for (read <- Seq[java.nio.file.Path => Any](VariantFile.read(_), VariantFile.readJson(_))) {
          val took = seconds {
            val e = intercept[ShreddedVariantException](checked(read(file)))
            assert(e.getMessage.contains("is shredded in more than 500 levels"), e.getMessage)
          }
          assert(took < 5, s"$took s")
        }
      }
    }

  /** Levels take stack, and more of it before the JVM has compiled the code. */
  private def withLargeStack(body: => Unit): Unit = {
    var error: Option[Throwable] = None
    val thread = new Thread(
      null,
      () =>
        try body
        catch { case e: Throwable => error = Some(e) },
      "large stack",
      256L << 20
    )
    thread.start()
    thread.join()
    error.foreach(throw _)
  }

  /** If a test throws a StackOverflowError, its runner waits for ever. */
  private def checked[A](body: => A): A =
    try body
    catch { case _: StackOverflowError => fail("the stack is too small") }
}
