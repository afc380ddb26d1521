"""Applications that do what is difficult to explore: one for each path. psycopg2 and http.server."""
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2
from psycopg2.pool import ThreadedConnectionPool

pool = ThreadedConnectionPool(1, 10, os.environ["DATABASE_URL"])
count = 0


def run(sql, c=None):
    """Run a statement, on a connection of its own unless one is given, and commit in the former case."""
    own = c or pool.getconn()
    with own.cursor() as cur:
        cur.execute(sql)
        rows = cur.fetchall() if cur.description else []
    if c is None:
        own.commit()
        pool.putconn(own)
    return rows


def add(h):
    run("UPDATE t SET n = n + 1 WHERE id = 1")
    h.reply(200, {})


def memory(h):
    global count
    count += 1
    run("UPDATE t SET n = n + %d WHERE id = 1" % count)
    h.reply(200, {})


def audit(h):
    """A row on a second connection stays when the transaction is rolled back."""
    c = pool.getconn()
    run("UPDATE t SET n = n + 1 WHERE id = 1", c)
    run("INSERT INTO log (what) VALUES ('add')")
    c.rollback()
    pool.putconn(c)
    h.reply(200, {"log": run("SELECT count(*) FROM log WHERE what = 'add'")[0][0] > 0})


def early(h):
    h.reply(200, {})
    time.sleep(0.01)
    run("UPDATE t SET n = n + 1 WHERE id = 1")


def crash(h):
    run("UPDATE t SET n = n + 1 WHERE id = 1")
    os._exit(7)


def hang(h):
    run("UPDATE t SET n = n + 1 WHERE id = 1")
    print("waiting for what never comes", flush=True)
    threading.Event().wait()


def background(h):
    run("UPDATE t SET n = n + 1 WHERE id = 1")
    threading.Timer(0.06, run, ("DELETE FROM log WHERE what = 'old'",)).start()
    h.reply(200, {})
    time.sleep(0.1)


def leave(h):
    run("UPDATE t SET n = n + 1 WHERE id = 1", pool.getconn())
    h.reply(200, {})


def retry(h):
    """Tries again after a serialization failure."""
    c = pool.getconn()
    c.set_session(isolation_level="SERIALIZABLE")
    for _ in range(5):
        try:
            n = run("SELECT n FROM t WHERE id = 1", c)[0][0]
            run("UPDATE t SET n = %d WHERE id = 1" % (n + 1), c)
            c.commit()
            break
        except psycopg2.errors.SerializationFailure:
            c.rollback()
    pool.putconn(c)
    h.reply(200, {})


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())
        self.wfile.flush()
        self.connection.shutdown(1)

    def do_GET(self):
        self.reply(200, {})

    def do_POST(self):
        globals()[self.path[1:]](self)


if __name__ == "__main__":
    run("CREATE TABLE IF NOT EXISTS t (id int PRIMARY KEY, n int NOT NULL)")
    run("CREATE TABLE IF NOT EXISTS log (what text NOT NULL)")
    run("INSERT INTO t VALUES (1, 0), (2, 0) ON CONFLICT DO NOTHING")
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
