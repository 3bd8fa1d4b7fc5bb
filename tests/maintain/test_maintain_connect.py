"""compact, reshred, unshred and verify over Spark Connect, whose client can only send plans."""

from programs import python


def test_tables_are_maintained_and_verified_over_connect(tmp_path):
    seen = python(
        tmp_path,
        """
        import shredded_variant as sv
        spark = sv.attach(calm(SparkSession.builder.remote("local[2]"))).getOrCreate()
        F = "shredded_variant"
        value = "parse_json(to_json(named_struct('a', id * 7 % 50, 'b', 'x')))"
        query = f"SELECT id, id % 2 AS p, {value} AS v FROM range(50)"
        load = spark.read.format(F).load
        rows = lambda path: sorted(map(str, load(path).selectExpr("id", "p", "to_json(v)").collect()))
        table, files, to = (os.path.abspath(name) for name in ("table", "files", "to"))
        for i in range(2):
            spark.sql(query).write.format(F).mode("append").partitionBy("p").option("table", "delta").save(table)
            spark.sql(query).write.format(F).mode("append").partitionBy("p").save(files)
        before, seen = rows(table), {"kind": type(spark).__module__}
        seen["dry"] = sv.compact(spark, table, dry_run=True).files_after
        seen["files"] = [sv.compact(spark, table, cluster_by=["$.a", "id"]).files_after]
        seen["same"] = [rows(table) == before]
        for work in (lambda: sv.reshred(spark, table, {"v": "infer"}), lambda: sv.unshred(spark, table),
                     lambda: sv.compact(spark, table), lambda: sv.compact(spark, files, to)):
            seen["files"].append(work().files_after)
            seen["same"].append(rows(table) == before and rows(files) == before)
        seen["to"] = rows(to) == before
        seen["verify"] = [sv.verify(spark, table, trust=True).to_dict(), sv.verify(spark, to).ok]
        import pathlib, shutil
        other = os.path.abspath("other")
        shutil.copytree(table, other)
        for log in sorted(pathlib.Path(other, "_delta_log").glob("*.json")):
            log.write_text(log.read_text().replace('"tags":{"shredded_variant.bounds":"1"},', ""))
        for checksum in pathlib.Path(other).rglob(".*.crc"):
            checksum.unlink()
        seen["trusted"] = [sv.verify(spark, other, trust=True).trusted for _ in range(2)]
        try:
            sv.compact(spark, files, to)
        except sv.ShreddedVariantError as e:
            seen["exists"] = str(e)
        try:
            few = spark.read.format(F).options(**{"maintenance": "rows", "maintenance.onlySmall": "true"})
            few.load(table).collect()
        except Exception as e:
            seen["refused"] = str(e)
        print(json.dumps(seen))
        """,
        SPARK_TESTING="",
    )
    assert seen["kind"] == "pyspark.sql.connect.session"
    assert seen["dry"] is None and seen["files"] == [2, 2, 2, 2, 2]
    assert all(seen["same"]) and len(seen["same"]) == 5 and seen["to"]
    report, ok = seen["verify"]
    assert ok and report["ok"] and (report["files"], report["rows"], report["trusted"]) == (2, 100, 0)
    assert seen["trusted"] == [2, 0]
    assert "exists already" in seen["exists"]
    assert "SHREDDED_VARIANT_MAINTENANCE_OPTION" in seen["refused"]
