package application

import (
	"fmt"
	"testing"
	"time"
)

// TestSkeleton: texts that differ in fresh values only have one skeleton. Names, short numbers and words are no values.
func TestSkeleton(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		a, b string
		sql  bool
		same bool
	}{
		{"INSERT INTO o VALUES ('3a9257ab-0035-4667-992a-6ad6ace3f41b', 1)", "INSERT INTO o VALUES ('9e1db47e-5bb2-44ac-8690-85b0e0d35794', 1)", true, true},
		{"VALUES ('2026-11-28T01:28:24.184+00:00')", "VALUES ('2026-11-28T01:28:25.1+00:00')", true, true},
		{"VALUES (1764293304)", "VALUES (1764293305)", true, true},
		{"VALUES (17642)", "VALUES (17643)", true, false},
		{"SELECT * FROM orders_of_the_year_2025", "SELECT * FROM orders_of_the_year_2026", true, false},
		{`SELECT "Orders_of_the_year_2025"`, `SELECT "Orders_of_the_year_2026"`, true, false},
		{"VALUES ('a_long_word_of_letters')", "VALUES ('another_word_of_letters')", true, false},
		{`{"token": "-eUiPn2yTzW0a7Qq1xR5bA"}`, `{"token": "aeUiPn2yTzW0a7Qq1xR5b_"}`, false, true},
		{`{"day": "2026-11-28"}`, `{"day": "2026-11-29"}`, false, false},
	} {
		a, _ := skeleton(test.a, test.sql)
		b, _ := skeleton(test.b, test.sql)
		if (a == b) != test.same {
			t.Errorf("%s and %s are %q and %q", test.a, test.b, a, b)
		}
	}
}

// TestDerived: a value in the place of a fresh one is of the same form. It depends on the place, and not on the value. A time
// that has been on its way for a while is the same.
func TestDerived(t *testing.T) {
	t.Parallel()
	begins := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	at := clock{time.Date(2026, time.November, 28, 1, 30, 20, 300_000_000, time.UTC), begins}
	for _, test := range []struct{ a, b, want string }{
		{"3a9257ab-0035-4667-992a-6ad6ace3f41b", "9e1db47e-5bb2-44ac-8690-85b0e0d35794", ""},
		{"$2b$10$N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", "$2b$10$KIXqo8u/ickgx2ZM.ZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy", ""},
		{"$argon2id$v=19$m=65536,t=3,p=4$km3uzw9c31WalcXgueQ58i$GwvzWxot1gqBx05JBZQi8PEUZo7NnSpWObEubECwsg1", "$argon2id$v=19$m=65536,t=3,p=4$FdqIKgETj3DrHc2oNN0SWI$MHGZ/xbpr3D2niGYzRp3kcOcphg/g/NRCzHXEYkCJEc", ""},
		{"pbkdf2_sha256$390000$Nc2s7XUKcxFUs3d0QwFFfI$Di12/aC6TQrvMZdZy1SgGWOgKiuLzjw6qvMfM+lzWBM=", "pbkdf2_sha256$390000$Nc2s7XUKcxFUs3d0QwFFf0$Di12+aC6TQrvMZdZy1SgGWOgKiuLzjw6qvMfM/lzWBM=", ""},
		{"0751996569d62295f05473516e7e5e6b3b610266", "e2709baa1118a3f7d9fea2079953a0ed2319a7b1", ""},
		{"0123456789abcdef0123", "fedcba98765432100123", ""},
		{"-eUiPn2yTzW0a7Qq1xR5bA", "aeUiPn2yTzW0a7Qq1xR5b_", ""},
		{"0.123456789", "0.987654321", ""},
		{"123456789012345", "543210987654321", ""},
		{"2026-11-28T01:30:20.299000+00:00", "2026-11-28T01:30:18.100000+00:00", "2026-01-01T00:00:00.000001+00:00"},
		{"2026-11-28 02:30:20.299+01:00", "2026-11-28 02:30:18.100+01:00", "2026-01-01 01:00:00.001+01:00"},
		{"2026-11-28 02:30:20.299+01", "2026-11-28 02:30:18.100+01", "2026-01-01 01:00:00.001+01"},
		{"2026-11-28 00:00:20.299-0130", "2026-11-28 00:00:18.100-0130", "2025-12-31 22:30:00.001-0130"},
		{"2026-11-28 01:31:20", "2026-11-28 01:31:19", "2026-01-01 00:01:00"},
		{"2026-11-28T01:30:20Z", "2026-11-28T01:30:16Z", "2026-01-01T00:00:00Z"},
		{"1795829420", "1795829418", "1767225600"},
		{"1795829420299", "1795829418123", "1767225600001"},
	} {
		a, b := derived(test.a, "here", 1, at), derived(test.b, "here", 1, at)
		if a != b || test.want != "" && a != test.want {
			t.Errorf("%s and %s are %s and %s, want %s", test.a, test.b, a, b, test.want)
		}
		if got := volatile.FindString(test.a); got != test.a {
			t.Errorf("of %s only %s is fresh", test.a, got)
		}
		if len(a) != len(test.a) || !volatile.MatchString(a) {
			t.Errorf("%s is %s", test.a, a)
		}
		if other := derived(test.a, "elsewhere", 1, at); test.want == "" && other == a {
			t.Errorf("%s is %s everywhere", test.a, a)
		}
	}
}

// TestPath: the second run of a session has the first one's values, and its application its own.
func TestPath(t *testing.T) {
	t.Parallel()
	var m memory
	insert := func(id string) batch {
		return batch{messages: []message{query(fmt.Sprintf("INSERT INTO o VALUES ('%s', '%[1]s')", id))}, sync: true}
	}
	const one, two = "3a9257ab-0035-4667-992a-6ad6ace3f41b", "9e1db47e-5bb2-44ac-8690-85b0e0d35794"
	a, b := m.begin("ann", map[string]string{}, map[string]string{}), m.begin("ann", map[string]string{}, map[string]string{})
	first := a.sends(insert(one))
	if second := b.sends(insert(two)); string(second.messages[0]) != string(first.messages[0]) {
		t.Errorf("%q is not %q", second.messages[0], first.messages[0])
	}
	if got := string(ownOf([]byte("id "+one), b.back)); got != "id "+two {
		t.Errorf("the application gets %q", got)
	}
	a.step("GET /")
	b.step("GET /")
	if got := b.ends("200 " + two); a.ends("200 "+one) != got || got != "200 "+one {
		t.Errorf("the response is %q", got)
	}
	m.forget()
	c, d := m.begin("ann", map[string]string{}, map[string]string{}), m.begin("ann", map[string]string{}, map[string]string{})
	d.step("another request")
	d.step("GET /") // the place is not the way there
	c.step("GET /")
	x, y := c.sends(insert(one)), d.sends(insert(two))
	if string(x.messages[0]) != string(y.messages[0]) || string(x.messages[0]) == string(first.messages[0]) {
		t.Errorf("%q and %q are no values of their own", x.messages[0], y.messages[0])
	}
}

// A time of the present is an application's, also where two runs have read the same second.
func TestPresent(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.November, 28, 1, 30, 20, 300_000_000, time.FixedZone("", 3600))
	for v, want := range map[string]bool{
		"2026-11-28 00:30:19": true, "2026-11-28 01:30:19": true, "2026-11-28T00:30:20.250Z": true, "2026-11-28 01:30:20.25+01": true, "2026-11-28 03:30:20+03:00": true,
		"2026-11-28 00:30": false, "2026-11-28 00:28:19": false, "2026-12-28T00:30:20.250Z": false, "1795829420": false,
	} {
		if present(v, now) != want {
			t.Errorf("%s: %v", v, !want)
		}
	}
}
