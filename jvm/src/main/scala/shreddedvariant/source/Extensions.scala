/** What a session that starts with the jar gets by itself: Spark finds this class as a service. */
package shreddedvariant.source

import org.apache.spark.sql.{SparkSessionExtensions, SparkSessionExtensionsProvider}
import shreddedvariant.rules.PathPushdown

class Extensions extends SparkSessionExtensionsProvider {
  override def apply(extensions: SparkSessionExtensions): Unit = {
    extensions.injectCheckRule(_ => WriteCheck)
    extensions.injectPreCBORule(_ => PathPushdown)
  }
}
