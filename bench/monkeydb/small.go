package monkeydb

import (
	"math/rand/v2"
	"strconv"
)

// SmallBank with the artifact's five customers. Money is moved, and neither comes in nor
// goes out.
func smallbank() *oltp {
	return &oltp{name: "SmallBank", asArtifact: true, transactions: always(80), terminal: smallbankTerminal,
		tables: `CREATE TABLE accounts (custid int PRIMARY KEY);
			CREATE TABLE savings (custid int PRIMARY KEY, bal numeric NOT NULL);
			CREATE TABLE checking (custid int PRIMARY KEY, bal numeric NOT NULL)`,
		rows: `INSERT INTO accounts SELECT generate_series(1, 5); INSERT INTO savings SELECT custid, 2500 FROM accounts;
			INSERT INTO checking SELECT custid, 2500 FROM accounts`,
		checks: []check{{"A13", `SELECT count(*) FROM (SELECT 1) x WHERE (SELECT sum(bal) FROM savings) + (SELECT sum(bal) FROM checking) <> 5 * 5000`}},
	}
}

func smallbankTerminal(r *rand.Rand, _, _ int) func(*txn) {
	a := 1 + r.IntN(5)
	b := 1 + (a+r.IntN(4))%5 // another one
	switch pick(r, 30, 30, 40) {
	case 0:
		return func(t *txn) { t.amalgamate(a, b) }
	case 1:
		return func(t *txn) { t.balance(a) }
	}
	return func(t *txn) { t.sendPayment(a, b) }
}

func (t *txn) account(c int) { t.one(`SELECT custid FROM accounts WHERE custid = $1`, c) }

func (t *txn) amalgamate(a, b int) {
	t.account(a)
	t.account(b)
	total := t.balance(a)
	t.exec(`UPDATE checking SET bal = 0 WHERE custid = $1`, a)
	t.exec(`UPDATE savings SET bal = 0 WHERE custid = $1`, a)
	t.exec(`UPDATE checking SET bal = bal + $2 WHERE custid = $1`, b, total)
}

func (t *txn) balance(a int) int {
	return t.one(`SELECT bal::int FROM savings WHERE custid = $1`, a) + t.one(`SELECT bal::int FROM checking WHERE custid = $1`, a)
}

func (t *txn) sendPayment(a, b int) {
	const amount = 5
	t.account(a)
	t.account(b)
	if t.one(`SELECT bal::int FROM checking WHERE custid = $1`, a) < amount {
		t.giveUp()
	}
	t.exec(`UPDATE checking SET bal = bal - $2 WHERE custid = $1`, a, amount)
	t.exec(`UPDATE checking SET bal = bal + $2 WHERE custid = $1`, b, amount)
}

// Voter: all calls come from one phone, which may vote twice, as in the artifact.
func voter() *oltp {
	return &oltp{name: "Voter", asArtifact: true, transactions: always(20), terminal: voterTerminal,
		tables: `CREATE TABLE contestants (contestant_number int PRIMARY KEY);
			CREATE TABLE votes (vote_id bigint PRIMARY KEY, phone_number bigint NOT NULL, contestant_number int NOT NULL)`,
		rows:   `INSERT INTO contestants VALUES (1)`,
		checks: []check{{"A14", `SELECT count(*) FROM (SELECT 1 FROM votes GROUP BY phone_number HAVING count(*) > 2) x`}},
	}
}

func voterTerminal(r *rand.Rand, n, _ int) func(*txn) {
	const phone = 2050000001
	id := int64(n+1)<<40 + r.Int64N(1<<40)
	return func(t *txn) {
		t.one(`SELECT contestant_number FROM contestants WHERE contestant_number = 1`)
		if len(t.ints(`SELECT contestant_number FROM votes WHERE phone_number = $1`, phone)) > 1 {
			t.giveUp()
		}
		t.exec(`INSERT INTO votes VALUES ($1, $2, 1)`, id, phone)
	}
}

// Wikipedia with the artifact's two users and two pages, which both watch. Weights are the
// artifact's, but that reading is rarer: a page that is read changes nothing.
func wikipedia() *oltp {
	return &oltp{name: "Wikipedia", asArtifact: true, transactions: always(80), terminal: wikipediaTerminal,
		tables: `CREATE TABLE useracct (user_id int PRIMARY KEY, user_touched int NOT NULL, user_editcount int NOT NULL);
			CREATE TABLE page (page_id int PRIMARY KEY, page_title text NOT NULL, page_latest int NOT NULL);
			CREATE TABLE revision (rev_id serial PRIMARY KEY, rev_page int NOT NULL, rev_user int NOT NULL);
			CREATE TABLE watchlist (wl_user int, wl_namespace int, wl_title text, wl_notificationtimestamp int, PRIMARY KEY (wl_user, wl_namespace, wl_title));
			CREATE TABLE recentchanges (rc_id serial PRIMARY KEY, rc_user int NOT NULL, rc_cur_id int NOT NULL);
			CREATE TABLE logging (log_id serial PRIMARY KEY, log_user int NOT NULL, log_page int NOT NULL)`,
		rows: `INSERT INTO useracct SELECT u, 0, 0 FROM generate_series(1, 2) u; INSERT INTO page SELECT p, 'page ' || p, 0 FROM generate_series(1, 2) p;
			INSERT INTO watchlist SELECT u, 0, 'page ' || p, NULL FROM generate_series(1, 2) u, generate_series(1, 2) p`,
		checks: []check{
			{"A15", `SELECT count(*) FROM useracct WHERE user_editcount <> (SELECT count(*) FROM recentchanges WHERE rc_user = user_id)`},
			{"A16", `SELECT count(*) FROM useracct WHERE user_editcount <> (SELECT count(*) FROM logging WHERE log_user = user_id)`},
			{"A17", `SELECT count(*) FROM generate_series(1, 2) u WHERE (SELECT count(*) FROM recentchanges WHERE rc_user = u) <> (SELECT count(*) FROM logging WHERE log_user = u)`},
		},
	}
}

func wikipediaTerminal(r *rand.Rand, _, _ int) func(*txn) {
	user, page := 1+r.IntN(2), 1+r.IntN(2)
	title, now := "page "+strconv.Itoa(page), 1+r.IntN(1000)
	switch pick(r, 1, 1, 7, 9, 1) {
	case 0:
		return func(t *txn) {
			t.exec(`INSERT INTO watchlist VALUES ($1, 0, $2, NULL) ON CONFLICT DO NOTHING`, user, title)
			t.exec(`UPDATE useracct SET user_touched = $2 WHERE user_id = $1`, user, now)
		}
	case 1:
		return func(t *txn) {
			t.exec(`DELETE FROM watchlist WHERE wl_user = $1 AND wl_namespace = 0 AND wl_title = $2`, user, title)
			t.exec(`UPDATE useracct SET user_touched = $2 WHERE user_id = $1`, user, now)
		}
	case 2:
		return func(t *txn) { t.updatePage(user, page, now, title) }
	case 3:
		return func(t *txn) { t.ints(`SELECT page_latest FROM page WHERE page_title = $1`, title) }
	}
	return func(t *txn) {
		t.ints(`SELECT user_touched FROM useracct WHERE user_id = $1`, user)
		t.ints(`SELECT page_latest FROM page WHERE page_title = $1`, title)
	}
}

// updatePage is a transaction, or three when others watch the page.
func (t *txn) updatePage(user, page, now int, title string) {
	rev := t.one(`INSERT INTO revision (rev_page, rev_user) VALUES ($1, $2) RETURNING rev_id`, page, user)
	t.exec(`UPDATE page SET page_latest = $2 WHERE page_id = $1`, page, rev)
	t.exec(`INSERT INTO recentchanges (rc_user, rc_cur_id) VALUES ($1, $2)`, user, page)
	watching := t.ints(`SELECT wl_user FROM watchlist WHERE wl_title = $1 AND wl_namespace = 0 AND wl_user <> $2 AND wl_notificationtimestamp IS NULL`, title, user)
	if len(watching) > 0 {
		t.commit()
		t.begin()
		for _, other := range watching {
			t.exec(`UPDATE watchlist SET wl_notificationtimestamp = $3 WHERE wl_title = $1 AND wl_namespace = 0 AND wl_user = $2`, title, other, now)
		}
		t.commit()
		t.begin()
		for _, other := range watching {
			t.one(`SELECT user_touched FROM useracct WHERE user_id = $1`, other)
		}
	}
	t.exec(`INSERT INTO logging (log_user, log_page) VALUES ($1, $2)`, user, page)
	t.exec(`UPDATE useracct SET user_editcount = user_editcount + 1 WHERE user_id = $1`, user)
	t.exec(`UPDATE useracct SET user_touched = $2 WHERE user_id = $1`, user, now)
}
