/** The members of Spark that this project needs and that Spark does not hand out, all in one place. */
package shreddedvariant;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery;
import org.apache.spark.sql.errors.QueryCompilationErrors$;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.datasources.DataSource$;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.SchemaUtils;
import scala.collection.immutable.Seq;

public final class SparkBridge {
  /**
   * {@code VectorizedColumnReader.readBatch} is package-private, and a class of ours in its package would be another
   * package at run time, since jars of users have their own class loader. A constant handle is inlined like a call.
   */
  private static final MethodHandle READ_BATCH = readBatchHandle();

  private SparkBridge() {}

  private static MethodHandle readBatchHandle() {
    try {
      return MethodHandles.privateLookupIn(VectorizedColumnReader.class, MethodHandles.lookup())
          .findVirtual(
              VectorizedColumnReader.class,
              "readBatch",
              MethodType.methodType(
                  void.class,
                  int.class,
                  WritableColumnVector.class,
                  WritableColumnVector.class,
                  WritableColumnVector.class));
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }

  /** Decodes the next {@code rows} rows; either vector of levels may be null if it is not needed. */
  public static void readBatch(
      VectorizedColumnReader reader,
      int rows,
      WritableColumnVector values,
      WritableColumnVector repetitionLevels,
      WritableColumnVector definitionLevels)
      throws Throwable {
    READ_BATCH.invokeExact(reader, rows, values, repetitionLevels, definitionLevels);
  }

  /** The paths behind what a user gave to load: qualified, globs resolved, checked to exist. {@code private[sql]}. */
  public static Seq<Path> resolvePaths(Seq<String> paths, Configuration conf, boolean glob, Pattern ignored) {
    return DataSource$.MODULE$.checkAndGlobPathIfNecessary(paths, conf, true, true, 40, glob, ignored);
  }

  public static boolean isGlob(Path path) {
    return SparkHadoopUtil.get().isGlobPath(path);
  }

  /** The schema with every field and element nullable, as files promise nothing. {@code private[spark]}. */
  public static StructType asNullable(StructType schema) {
    return schema.asNullable();
  }

  /** Refuses a schema that names a column twice. {@code private[spark]}. */
  public static void checkColumnNames(StructType schema, boolean caseSensitive) {
    SchemaUtils.checkSchemaColumnNameDuplication(schema, caseSensitive);
  }

  /** Spark's refusal of an output mode that a sink lacks. {@code private[sql]}. */
  public static Throwable unsupportedOutputMode(String format, OutputMode mode) {
    return QueryCompilationErrors$.MODULE$.dataSourceOutputModeUnsupportedError(format, mode);
  }

  /** Appends rows to vectors, one for each column, of any type. {@code private[execution]}. */
  public static BiConsumer<InternalRow, WritableColumnVector[]> rowConverter(StructType schema) {
    return new RowToColumnConverter(schema)::convert;
  }

  /** Whether dynamic pruning asks its own plan for keys, not another plan's broadcast. {@code private[sql]}. */
  public static boolean asksItsOwnPlan(DynamicPruningSubquery pruning) {
    return pruning.broadcastValueProjection().isEmpty();
  }

  /** The name under which a session knows a function of Spark's own. {@code private[sql]}. */
  public static FunctionIdentifier builtinFunction(String name) {
    return FunctionRegistry$.MODULE$.builtinFunctionIdentifier(name);
  }
}
