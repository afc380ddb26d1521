"""Runs what a request says: transactions of few operations on a table, with what was read deciding what follows."""
import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2
from psycopg2.pool import ThreadedConnectionPool

pool = ThreadedConnectionPool(1, 10, os.environ["DATABASE_URL"])


def statement(op, last):
    what, *args = op
    return {
        "read": "SELECT n FROM t WHERE id = {0}",
        "lock": "SELECT n FROM t WHERE id = {0} FOR UPDATE",
        "count": "SELECT count(*) FROM t WHERE n >= {0}",
        "set": "UPDATE t SET n = {1} WHERE id = {0}",
        "add": "UPDATE t SET n = n + {1} WHERE id = {0}",
        "copy": "UPDATE t SET n = {last} + {1} WHERE id = {0}",
        "insert": "INSERT INTO t VALUES ({0}, {1})",
        "delete": "DELETE FROM t WHERE id = {0}",
    }[what].format(*args, last=last)


def transaction(c, t):
    seen, last, skip = [], 0, 0
    with c.cursor() as cur:
        for op in t["ops"]:
            if skip:
                skip -= 1
            elif op[0] == "if":
                skip = op[2] if last < op[1] else 0
            else:
                cur.execute(statement(op, last))
                if cur.description:
                    row = cur.fetchone()
                    last = row[0] if row else 0
                    seen.append(str(row[0]) if row else "none")
                else:
                    seen.append("rows %d" % cur.rowcount)
    if t["rollback"]:
        c.rollback()
    else:
        c.commit()
    return seen


def run(transactions):
    seen = []
    c = pool.getconn()
    for t in transactions:
        c.set_session(isolation_level=t["level"])
        for _ in range(t["tries"]):
            try:
                seen += transaction(c, t)
                break
            except psycopg2.Error as e:
                c.rollback()
                seen.append(e.pgcode)
                if e.pgcode not in ("40001", "40P01"):
                    break
    pool.putconn(c)
    return seen


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def do_GET(self):
        self.reply([])

    def do_POST(self):
        self.reply(run(json.loads(self.rfile.read(int(self.headers["Content-Length"])))))

    def reply(self, body):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(body, separators=(",", ":")).encode())


if __name__ == "__main__":
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
