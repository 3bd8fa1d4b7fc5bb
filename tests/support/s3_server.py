"""An S3 server on loopback that has all that Hadoop's S3A needs, and can fail as real servers do.

It keeps objects in memory. It answers 412 where a condition fails, or ignores conditions, or refuses requests that have
one. It can deny all keys outside a prefix, and close a connection instead of answering.
"""

import hashlib
import re
import threading
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

import pytest

from programs import ROOT

COMMIT = r"_delta_log/0+\d+\.json"
JARS = ROOT / ".tools" / "s3a"


class S3(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Requests)
        self.objects, self.requests, self.lock = {}, [], threading.Lock()
        self.usual()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def usual(self):
        """Conditions hold, all keys are allowed, no answer is lost, and commits do not wait for each other."""
        self.keeps_conditions, self.allowed, self.to_lose, self.meetings = True, "", 0, 0
        self.lost = COMMIT
        # A condition and the status and code that answer it, and how often they do.
        self.refused, self.times = {}, 10**9
        self.waiting = {}
        self.requests.clear()

    def meet(self, key):
        """While `meetings` is positive, a commit waits until another driver commits the same version."""
        with self.lock:
            first = key not in self.waiting and self.meetings > 0
            self.meetings -= first
            other = self.waiting.setdefault(key, threading.Event()) if first else self.waiting.get(key)
        if first:
            other.wait(60)
        elif other:
            other.set()

    def settings(self):
        """The settings of a session that uses this server for all buckets."""
        if not (JARS / ".stamp").exists():
            pytest.fail(f"{JARS} is missing: run the tests by `make test-python`, which fetches it")
        own = {
            "endpoint": f"http://127.0.0.1:{self.server_address[1]}", "endpoint.region": "us-east-1",
            "path.style.access": "true", "access.key": "a", "secret.key": "b",
            "aws.credentials.provider": "org.apache.hadoop.fs.s3a.SimpleAWSCredentialsProvider",
        }  # fmt: skip
        jars = ",".join(map(str, sorted(JARS.glob("*.jar"))))
        return {"spark.jars": jars} | {f"spark.hadoop.fs.s3a.{key}": value for key, value in own.items()}

    def keys(self, prefix=""):
        with self.lock:
            return sorted(key for key in self.objects if key.startswith(prefix))

    def asked(self, method, part):
        """The paths or prefixes of the requests that contain this part."""
        return [path for asked, path in list(self.requests) if asked == method and part in path]

    def close(self):
        self.shutdown()
        self.server_close()


class Requests(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def handle_one_request(self):
        try:
            super().handle_one_request()
        except ConnectionError:
            self.close_connection = True

    def parse(self):
        url = urlsplit(self.path)
        self.query = {k: v[0] for k, v in parse_qs(url.query, keep_blank_values=True).items()}
        self.bucket, _, key = unquote(url.path).lstrip("/").partition("/")
        self.key = key and f"{self.bucket}/{key}"
        target = self.key or f"{self.bucket}/{self.query.get('prefix', '')}"
        condition = next((name for name in ("If-None-Match", "If-Match") if name in self.headers), "")
        self.server.requests.append((f"{self.command} {condition}".strip(), target))
        if target.startswith(self.server.allowed) or (self.command == "POST" and "delete" in self.query):
            return True
        self.body()
        self.answer(403, error("AccessDenied"))
        return False

    def body(self):
        raw = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not self.headers.get("x-amz-content-sha256", "").startswith("STREAMING-"):
            return raw
        # The body has chunks, each after its size and a signature; the last chunk is empty, and checksums follow it.
        data, at = b"", 0
        while True:
            end = raw.index(b"\r\n", at)
            size = int(raw[at:end].split(b";")[0], 16)
            data += raw[end + 2 : end + 2 + size]
            at = end + 2 + size + 2
            if size == 0:
                return data

    def answer(self, status, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_PUT(self):
        if not self.parse():
            return
        data, server = self.body(), self.server
        is_commit = bool(re.search(COMMIT, self.key))
        if is_commit:
            server.meet(self.key)
        new, tag = self.headers.get("If-None-Match"), self.headers.get("If-Match")
        condition = "If-None-Match" if new else "If-Match" if tag else None
        if condition in server.refused and server.times > 0:
            server.times -= 1
            status, code = server.refused[condition]
            return self.answer(status, error(code))
        with server.lock:
            if source := self.headers.get("x-amz-copy-source"):
                data = server.objects[unquote(source).lstrip("/")][0]
            there = server.objects.get(self.key)
            wrong = (new and there) or (tag and (not there or tag.strip('"') != there[1]))
            if wrong and server.keeps_conditions:
                return self.answer(412, error("PreconditionFailed"))
            etag = hashlib.md5(data).hexdigest()
            server.objects[self.key] = (data, etag, formatdate(usegmt=True))
            loses = server.to_lose > 0 and re.search(server.lost, self.key)
            server.to_lose -= bool(loses)
        if loses:
            self.close_connection = True
        elif source:
            self.answer(200, f'<CopyObjectResult><ETag>"{etag}"</ETag></CopyObjectResult>'.encode())
        else:
            self.answer(200, ETag=f'"{etag}"')

    def do_GET(self):
        if not self.parse():
            return
        if not self.key:
            return self.list()
        with self.server.lock:
            stored = self.server.objects.get(self.key)
        if not stored:
            return self.answer(404, error("NoSuchKey"))
        data, etag, changed = stored
        headers = {"ETag": f'"{etag}"', "Last_Modified": changed, "Accept_Ranges": "bytes"}
        status = 200
        if asked := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(asked[1]), min(int(asked[2] or len(data)), len(data) - 1)
            headers["Content_Range"], status = f"bytes {first}-{last}/{len(data)}", 206
            data = data[first : last + 1]
        self.answer(status, data, Content_Length=str(len(data)), **headers)

    do_HEAD = do_GET

    def list(self):
        bucket, delimiter = f"{self.bucket}/", self.query.get("delimiter", "")
        prefix, after = bucket + self.query.get("prefix", ""), bucket + self.query.get("start-after", "")
        maximum = int(self.query.get("max-keys", 1000))
        keys, folders = [], []
        with self.server.lock:
            for key in sorted(self.server.objects):
                rest = key[len(prefix) :]
                if not key.startswith(prefix) or key <= after:
                    continue
                if delimiter and delimiter in rest:
                    folder = prefix + rest[: rest.index(delimiter) + 1]
                    folders += [folder] if folder not in folders else []
                else:
                    data, etag, _ = self.server.objects[key]
                    keys.append(
                        f"<Contents><Key>{escape(key.removeprefix(bucket))}</Key><Size>{len(data)}</Size><ETag>&quot;{etag}&quot;</ETag>"
                        "<LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>"
                    )
        parts = (
            keys
            + [f"<CommonPrefixes><Prefix>{escape(f.removeprefix(bucket))}</Prefix></CommonPrefixes>" for f in folders]
        )[:maximum]
        body = f"<KeyCount>{len(parts)}</KeyCount><IsTruncated>false</IsTruncated>{''.join(parts)}"
        self.answer(200, f"<ListBucketResult><Name>{self.bucket}</Name>{body}</ListBucketResult>".encode())

    def do_DELETE(self):
        if self.parse():
            with self.server.lock:
                self.server.objects.pop(self.key, None)
            self.answer(204)

    def do_POST(self):
        if not self.parse():
            return
        keys = re.findall(r"<Key>(.*?)</Key>", self.body().decode())
        with self.server.lock:
            for key in keys:
                self.server.objects.pop(f"{self.bucket}/{key}", None)
        self.answer(200, b"<DeleteResult></DeleteResult>")


def error(code):
    return f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()
