/** All uses of members of Spark that are not public. */
package shreddedvariant;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.Collection;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.fs.Path;
import org.apache.spark.deploy.SparkHadoopUtil;
import org.apache.spark.rdd.EmptyRDD;
import org.apache.spark.rdd.ParallelCollectionRDD;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry$;
import org.apache.spark.sql.catalyst.expressions.DynamicPruningSubquery;
import org.apache.spark.sql.catalyst.util.CharVarcharUtils$;
import org.apache.spark.sql.classic.SparkSession;
import org.apache.spark.sql.errors.QueryCompilationErrors$;
import org.apache.spark.sql.execution.RowToColumnConverter;
import org.apache.spark.sql.execution.datasources.DataSource$;
import org.apache.spark.sql.execution.datasources.parquet.VectorizedColumnReader;
import org.apache.spark.sql.execution.streaming.runtime.StreamExecution;
import org.apache.spark.sql.execution.vectorized.WritableColumnVector;
import org.apache.spark.sql.streaming.OutputMode;
import org.apache.spark.sql.types.StructType;
import org.apache.spark.sql.util.SchemaUtils;
import scala.Option;
import scala.collection.immutable.Seq;

public final class SparkBridge {
  /**
   * {@code VectorizedColumnReader.readBatch} is package-private. A class of this jar in the same package would
   * be in another run-time package, since jars of users have their own class loader. The JIT inlines a constant
   * handle.
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

  /** The qualified paths of a load, with globs resolved; refuses missing paths. {@code private[sql]}. */
  public static Seq<Path> resolvePaths(Seq<String> paths, Configuration conf, boolean glob, Pattern ignored) {
    return DataSource$.MODULE$.checkAndGlobPathIfNecessary(paths, conf, true, true, 40, glob, ignored);
  }

  public static boolean isGlob(Path path) {
    return SparkHadoopUtil.get().isGlobPath(path);
  }

  /** The schema with every field and element nullable. {@code private[spark]}. */
  public static StructType asNullable(StructType schema) {
    return schema.asNullable();
  }

  /** The position of a field, without an error if there is none. {@code private[sql]}. */
  public static Option<Object> fieldIndex(StructType struct, String name) {
    return struct.getFieldIndex(name);
  }

  /** Refuses a schema that names a column twice. {@code private[spark]}. */
  public static void checkColumnNames(StructType schema, boolean caseSensitive) {
    SchemaUtils.checkSchemaColumnNameDuplication(schema, caseSensitive);
  }

  /** Spark's error for an output mode that a sink does not support. {@code private[sql]}. */
  public static Throwable unsupportedOutputMode(String format, OutputMode mode) {
    return QueryCompilationErrors$.MODULE$.dataSourceOutputModeUnsupportedError(format, mode);
  }

  /** Appends rows to vectors, one for each column, of any type. {@code private[execution]}. */
  public static BiConsumer<InternalRow, WritableColumnVector[]> rowConverter(StructType schema) {
    return new RowToColumnConverter(schema)::convert;
  }

  /** Whether dynamic pruning gets its keys from its own plan, not from a broadcast. {@code private[sql]}. */
  public static boolean asksItsOwnPlan(DynamicPruningSubquery pruning) {
    return pruning.broadcastValueProjection().isEmpty();
  }

  /** The identifier of a built-in function in a session's registry. {@code private[sql]}. */
  public static FunctionIdentifier builtinFunction(String name) {
    return FunctionRegistry$.MODULE$.builtinFunctionIdentifier(name);
  }

  /** The key in the metadata of a column for its type with CHAR or VARCHAR. {@code private[sql]}. */
  public static String charVarcharKey() {
    return CharVarcharUtils$.MODULE$.CHAR_VARCHAR_TYPE_STRING_METADATA_KEY();
  }

  /** The streams that run, of all sessions. {@code private[sql]}. */
  public static Collection<StreamExecution> streams(SparkSession session) {
    return session.sharedState().activeStreamingQueries().values();
  }

  /** Whether an RDD has all its rows itself, as {@code parallelize} makes them. {@code private[spark]}. */
  public static boolean isOfRows(RDD<?> rdd) {
    return rdd instanceof ParallelCollectionRDD || rdd instanceof EmptyRDD;
  }

  /** Whether an RDD is a checkpoint or will become one. {@code private[spark]}. */
  public static boolean isCheckpoint(RDD<?> rdd) {
    return rdd.checkpointData().isDefined();
  }
}
