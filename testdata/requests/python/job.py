"""Takes one from the stock, as a job would that starts now and then. The connection is encrypted."""
import os

import psycopg2

c = psycopg2.connect(os.environ["DATABASE_URL"], sslmode="require")
with c, c.cursor() as cur:
    cur.execute("SELECT n FROM stock" + (" FOR UPDATE" if os.environ.get("FIX") else ""))
    n = cur.fetchone()[0]
    cur.execute("UPDATE stock SET n = %s", (n - 1,))
print("left", n - 1)
