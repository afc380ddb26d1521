"""A shop: http.server and a pool of psycopg2. Each request is a transaction. FIX=1 mends the mistakes."""
import datetime
import json
import os
import secrets
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import psycopg2.errors
from psycopg2.pool import ThreadedConnectionPool

FIX = bool(os.environ.get("FIX"))
pool = ThreadedConnectionPool(1, 10, os.environ["DATABASE_URL"])

SCHEMA = """
CREATE TABLE IF NOT EXISTS item (id int PRIMARY KEY, stock int NOT NULL);
CREATE TABLE IF NOT EXISTS orders (
    id uuid PRIMARY KEY, item int NOT NULL REFERENCES item, who text NOT NULL, placed timestamptz NOT NULL);
CREATE TABLE IF NOT EXISTS coupon (code text PRIMARY KEY, most int NOT NULL);
CREATE TABLE IF NOT EXISTS redemption (code text NOT NULL REFERENCES coupon, who text NOT NULL);
"""


def locked():
    return " FOR UPDATE" if FIX else ""


def add_item(cur, q):
    cur.execute("INSERT INTO item (id, stock) VALUES (%s, %s)", (q["id"], q["stock"]))
    return 201, {}


def add_coupon(cur, q):
    cur.execute("INSERT INTO coupon (code, most) VALUES (%s, %s)", (q["code"], q["most"]))
    return 201, {}


def buy(cur, q):
    cur.execute("SELECT stock FROM item WHERE id = %s" + locked(), (q["item"],))
    stock = cur.fetchone()[0]
    if stock == 0:
        return 409, {"error": "sold out"}
    cur.execute("UPDATE item SET stock = %s WHERE id = %s", (stock - 1, q["item"]))
    order = str(uuid.uuid4())
    now = datetime.datetime.now(datetime.timezone.utc)
    cur.execute("INSERT INTO orders VALUES (%s, %s, %s, %s)", (order, q["item"], q["who"], now))
    cur.execute("SELECT id FROM orders WHERE id = %s", (order,))
    return 200, {"order": cur.fetchone()[0], "receipt": secrets.token_urlsafe(16)}


def redeem(cur, q):
    cur.execute("SELECT most FROM coupon WHERE code = %s" + locked(), (q["code"],))
    most = cur.fetchone()[0]
    cur.execute("SELECT count(*) FROM redemption WHERE code = %s", (q["code"],))
    if cur.fetchone()[0] >= most:
        return 409, {"error": "used up"}
    cur.execute("INSERT INTO redemption (code, who) VALUES (%s, %s)", (q["code"], q["who"]))
    return 200, {"redeemed": q["code"]}


HANDLERS = {"/items": add_item, "/coupons": add_coupon, "/buy": buy, "/redeem": redeem}


class Handler(BaseHTTPRequestHandler):
    def log_message(self, *args):
        pass

    def reply(self, status, body):
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(body).encode())

    def do_GET(self):
        self.reply(200, {"ok": True})

    def do_POST(self):
        q = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        c = pool.getconn()
        try:
            with c, c.cursor() as cur:
                status, body = HANDLERS[self.path](cur, q)
        except psycopg2.errors.OperationalError as e:
            status, body = 503, {"error": e.diag.message_primary}
        finally:
            pool.putconn(c)
        self.reply(status, body)


if __name__ == "__main__":
    c = pool.getconn()
    with c, c.cursor() as cur:
        cur.execute(SCHEMA)
    pool.putconn(c)
    ThreadingHTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler).serve_forever()
