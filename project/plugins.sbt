addSbtPlugin("org.scalameta" % "sbt-scalafmt" % "2.5.6")
libraryDependencies += "com.eed3si9n.jarjarabrams" %% "jarjar-abrams-core" % "1.14.1"
