"""A driver with a JVM of its own, which runs code against an S3 server."""

import json
import subprocess
import sys

from programs import clean_environment, script

# Runs the code of each line of its input, and prints the variable `answer`.
DRIVER = """
import shredded_variant
builder = calm()
for key, value in json.loads(sys.argv[1]).items():
    builder = builder.config(key, value)
spark = shredded_variant.attach(builder).getOrCreate()
spark.sparkContext.setLogLevel("OFF")

def rows(*ids):
    values = ", ".join(f"({i})" for i in ids)
    rows = spark.sql(f"SELECT id, parse_json(to_json(named_struct('a', id))) AS v FROM VALUES {values} AS t(id)")
    return rows.coalesce(1)

def save(df, path, mode="append", **options):
    df.write.format("shredded_variant").mode(mode).options(**options).save(path)

def load(path):
    return spark.read.format("shredded_variant").load(path)

def ids(path):
    return sorted(r[0] for r in load(path).select("id").collect())

def refused(write):
    try:
        write()
    except Exception as e:
        return str(e)

for line in sys.stdin:
    here = globals() | {"answer": None}
    try:
        exec(json.loads(line), here)
        print(json.dumps({"answer": here["answer"]}), flush=True)
    except Exception as e:
        print(json.dumps({"error": str(e)[:3000]}), flush=True)
"""


class Driver:
    def __init__(self, folder, settings):
        command = [sys.executable, script(folder, DRIVER), json.dumps(settings)]
        self.program = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env=clean_environment(),
        )  # fmt: skip

    def begin(self, code):
        self.program.stdin.write(json.dumps(code) + "\n")
        self.program.stdin.flush()

    def end(self):
        answer = json.loads(self.program.stdout.readline() or '{"error": "the driver has ended"}')
        assert "error" not in answer, answer["error"]
        return answer["answer"]

    def run(self, code):
        self.begin(code)
        return self.end()
