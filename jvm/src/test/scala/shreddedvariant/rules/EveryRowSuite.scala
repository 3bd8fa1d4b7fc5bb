/**
 * Spark evaluates the operands and arguments that [[EveryRow]] lists whenever it evaluates their expression:
 * interpreted and compiled, for any values of the other operands.
 */
package shreddedvariant.rules

import scala.collection.mutable
import scala.util.Try
import scala.util.control.NonFatal

import org.apache.logging.log4j.Level
import org.apache.logging.log4j.core.config.Configurator
import org.apache.spark.sql.catalyst.InternalRow
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry
import org.apache.spark.sql.catalyst.expressions._
import org.apache.spark.sql.catalyst.expressions.aggregate._
import org.apache.spark.sql.catalyst.expressions.codegen.GenerateUnsafeProjection
import org.apache.spark.sql.internal.SQLConf
import org.apache.spark.sql.types._
import org.apache.spark.unsafe.types.UTF8String

class EveryRowSuite extends shreddedvariant.Suite {
  private val decimal = DecimalType(10, 2)

  /** Generates code before it sets the log level, because Spark then sets levels of its own. */
  override def beforeAll(): Unit = {
    GenerateUnsafeProjection.generate(Seq(Literal(1)))
    Configurator.setRootLevel(Level.ERROR)
  }

  /** Some values of each type, including NULL and values that operators treat specially. */
  private val values: Map[DataType, Seq[Any]] = Map(
    BooleanType -> Seq(null, true, false),
    IntegerType -> Seq(null, 0, 1),
    DoubleType -> Seq(null, 0.0, 1.5),
    decimal -> Seq(null, Decimal(0, 10, 2), Decimal(150, 10, 2)),
    StringType -> Seq(null, UTF8String.fromString(""), UTF8String.fromString("a"))
  )

  private def some(dataType: DataType): Seq[Any] = dataType match {
    case _: DecimalType => values(decimal)
    case LongType => Seq[Any](null, 0L, Long.MaxValue)
    case other => values(other)
  }

  private def operand(dataType: DataType, at: Int, nullable: Boolean) = BoundReference(at, dataType, nullable)

  private def raising(operand: BoundReference): Expression = {
    val raise = new RaiseError(Literal("evaluated")).copy(dataType = operand.dataType)
    if (operand.nullable) raise else KnownNotNull(raise)
  }

  private def rows(operands: Seq[BoundReference]): Iterator[InternalRow] =
    operands.foldLeft(Iterator(Seq.empty[Any])) { (rows, o) =>
      rows.flatMap(row => some(o.dataType).filter(_ != null || o.nullable).map(row :+ _))
    }.map(InternalRow.fromSeq)

  private def raises(evaluate: => Any): Boolean =
    try { evaluate; false }
    catch {
      case NonFatal(e) => Iterator.iterate(e: Throwable)(_.getCause).takeWhile(_ != null).exists(isRaised)
    }

  private def isRaised(e: Throwable) = String.valueOf(e.getMessage).contains("USER_RAISED_EXCEPTION")

  /** The first row for which Spark evaluates the expressions without the operand that raises. */
  private def unevaluated(expressions: Seq[Expression], operands: Seq[BoundReference]): Option[String] = {
    val compiled = GenerateUnsafeProjection.generate(expressions)
    rows(operands).collectFirst {
      case row if !raises(expressions.foreach(_.eval(row))) => s"interpreted, of $row"
      case row if !raises(compiled(row)) => s"compiled, of $row"
    }.map(how => s"${expressions.mkString(", ")} does not evaluate it, $how")
  }

  /** The checked claims: several functions have the same operator. */
  private val checked = mutable.Set.empty[Expression]

  /** The number of claims about an operator over these operands, and the rows for which a claim is wrong. */
  private def check(
      operands: Seq[BoundReference],
      make: Seq[Expression] => Expression
  ): (Int, Seq[String]) = {
    val evaluated = EveryRow.operands(make(operands))
    val claims = operands.filter(o => evaluated.exists(_ eq o)).map { o =>
      make(operands.map(other => if (other eq o) raising(o) else other))
    }
    (claims.size, claims.filter(checked.add).flatMap(claim => unevaluated(Seq(claim), operands)))
  }

  private def isValid(e: Expression) =
    Try(e.resolved && e.checkInputDataTypes().isSuccess && e.dataType != null).getOrElse(false)

  // ---- operators ----

  private type Make = Seq[Expression] => Expression

  private val functions: Seq[Make] = FunctionRegistry.builtin.listFunction().sortBy(_.funcName)
    .flatMap(FunctionRegistry.builtin.lookupFunctionBuilder(_)).map(build =>
      (of: Seq[Expression]) => build(of)
    )

  private val others: Seq[Make] = {
    val modes = Seq(EvalMode.LEGACY, EvalMode.ANSI, EvalMode.TRY)
    val casts = for (to <- values.keys.toSeq; mode <- modes)
      yield (of: Seq[Expression]) => Cast(of.head, to, Some("UTC"), mode)
    val divisions =
      for (mode <- modes; divisor <- Seq[Any](2, 0, 2L, 0L, 2.0, 0.0, Decimal(150, 10, 2), null))
        yield (of: Seq[Expression]) =>
          Divide(of.head, if (divisor == null) Literal(null, of.head.dataType) else Literal(divisor), mode)
    val arithmetic = modes.flatMap { mode =>
      Seq[(Expression, Expression) => Expression](
        Add(_, _, mode),
        Subtract(_, _, mode),
        Multiply(_, _, mode),
        Divide(_, _, mode),
        IntegralDivide(_, _, mode),
        Remainder(_, _, mode),
        Pmod(_, _, mode)
      ).map(make => (of: Seq[Expression]) => make(of(0), of(1)))
    }
    casts ++ divisions ++ arithmetic ++ Seq[Make](
      of => Alias(of.head, "a")(),
      of => In(of.head, of.tail),
      of => InSet(of.head, values(of.head.dataType).toSet),
      of => InSet(of.head, Set.empty),
      of => CaseWhen(Seq(of(0) -> of(1)), of.lift(2)),
      of => Not(EqualTo(of(0), of(1)))
    )
  }

  /** Operands of one type, or a BOOLEAN and two of one type. All, none, or all but the first are nullable. */
  private def operands(number: Int): Seq[Seq[BoundReference]] = for {
    dataType <- values.keys.toSeq
    of <-
      Seq(Seq.fill(number)(dataType), BooleanType +: Seq.fill(number - 1)(dataType)).take(if (number < 3) 1
      else 2).distinct
    nullable <- Seq(Seq.fill(number)(true), Seq.fill(number)(false), false +: Seq.fill(number - 1)(true))
  } yield of.indices.map(i => operand(of(i), i, nullable(i)))

  for (isAnsi <- Seq(true, false))
    test(s"listed operands are evaluated${if (isAnsi) ", with ANSI" else ""}") {
      SQLConf.withExistingConf(conf(isAnsi)) {
        val found = for {
          number <- 1 to 3
          of <- operands(number)
          make <- functions ++ others
          made <- Try(make(of)).toOption.toSeq if isValid(made)
          if EveryRow.operands(made).nonEmpty && made.references.isEmpty
        } yield (made.getClass.getSimpleName, check(of, make))
        assertEquals(found.flatMap(_._2._2).distinct.take(9).toList, Nil)
        val claimed = found.filter(_._2._1 > 0).map(_._1).toSet
        val named =
          Set("UnaryMinus", "Not", "IsNull", "IsNotNull", "And", "Or", "If", "CaseWhen", "Coalesce", "In") ++
            Set(
              "InSet",
              "EqualNullSafe",
              "Least",
              "Greatest",
              "Divide",
              "IntegralDivide",
              "Remainder",
              "Pmod",
              "Add"
            ) ++
            Set(
              "Subtract",
              "Multiply",
              "BitwiseAnd",
              "BitwiseOr",
              "BitwiseXor",
              "EqualTo",
              "LessThan",
              "Alias",
              "Cast"
            ) ++
            Set("LessThanOrEqual", "GreaterThan", "GreaterThanOrEqual", "Contains", "StartsWith", "EndsWith")
        assertEquals(claimed, named)
      }
    }

  test("listed arguments of aggregates are evaluated for each row") {
    val modes = Seq(EvalMode.LEGACY, EvalMode.ANSI, EvalMode.TRY)
    val aggregates = Seq[Expression => DeclarativeAggregate](Min(_), Max(_), e => Count(Seq(e))) ++
      modes.flatMap(m =>
        Seq[Expression => DeclarativeAggregate](Sum(_, NumericEvalContext(m)), Average(_, m))
      )
    val found = for {
      make <- aggregates
      dataType <- values.keys.toSeq
      argument <- Seq(true, false).map(operand(dataType, 0, _))
      if isValid(make(argument)) && EveryRow.arguments(make(argument)).nonEmpty
    } yield {
      val aggregate = make(raising(argument))
      val buffer = aggregate.aggBufferAttributes.zipWithIndex.map { case (a, i) =>
        operand(a.dataType, i, a.nullable)
      }
      val at = aggregate.aggBufferAttributes.map(_.exprId).zip(buffer).toMap
      val updates =
        aggregate.updateExpressions.map(_.transform { case a: AttributeReference => at(a.exprId) })
      unevaluated(updates, buffer)
    }
    assertEquals(found.flatten.toList, Nil)
    assert(found.size > 25, found.size)
  }

  private def conf(isAnsi: Boolean) = {
    val conf = new SQLConf
    conf.setConf(SQLConf.ANSI_ENABLED, isAnsi)
    conf
  }
}
