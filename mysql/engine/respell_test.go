package engine

import "testing"

// What the parser does not know is spelled in words that it knows, and the way back is known.
func TestRespell(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"SELECT @x := v FROM t", "SELECT assigned('x',/*:@x :=*/ v/*:*/) FROM t"},
		{"SELECT (@x:=CASE WHEN a THEN @y := 1 ELSE (2) END), 'a := b', @@x FROM t",
			"SELECT (assigned('x',/*:@x:=*/CASE WHEN a THEN assigned('y',/*:@y :=*/ 1/*:*/) ELSE (2) END/*:*/)), 'a := b', @@x FROM t"},
		{"SELECT @a := @b := 7", "SELECT assigned('a',/*:@a :=*/ assigned('b',/*:@b :=*/ 7/*:*/)/*:*/)"},
		{"SET @x := 1, @y := ?", "SET @x := 1, @y := ?"},
		{"SELECT a > ALL (SELECT (b) FROM t), c != some(SELECT 1)", "SELECT a > each_of_all(/*:ALL */ (SELECT (b) FROM t)/*:*/), c != each_of_any(/*:some */(SELECT 1)/*:*/)"},
		{"SELECT 1 UNION ALL (SELECT 2)", "SELECT 1 UNION ALL (SELECT 2)"},
		{"SELECT a FROM t GROUP BY a WITH  ROLLUP HAVING a > 1", "SELECT a FROM t GROUP BY a , with_rollup() HAVING a > 1"},
		{"SELECT '@x := 1' -- with rollup\n", "SELECT '@x := 1' -- with rollup\n"},
		{"CREATE TABLE c (id INT, `P` INT NOT NULL REFERENCES t (id) ON DELETE CASCADE, q INT REFERENCES t (id), CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id) ON DELETE CASCADE)",
			"CREATE TABLE c (id INT, `P` INT NOT NULL , FOREIGN KEY (`p`) REFERENCES t (id) ON DELETE CASCADE, q INT REFERENCES t (id), CONSTRAINT f FOREIGN KEY (q) REFERENCES t (id) ON DELETE CASCADE)"},
		{"CREATE TABLE c (p INT REFERENCES a.t (id) ON UPDATE SET NULL) ENGINE=InnoDB", "CREATE TABLE c (p INT , FOREIGN KEY (`p`) REFERENCES a.t (id) ON UPDATE SET NULL) ENGINE=InnoDB"},
	} {
		got := respell(c.text)
		if got != c.want {
			t.Errorf("%s\nis spelled %s\nwant       %s", c.text, got, c.want)
		}
		if again := respell(got); again != got {
			t.Errorf("%s\nis spelled %s the second time", got, again)
		}
	}
	for _, text := range []string{"SELECT @x:=v, a > all (SELECT @a := @b := 7), 'it''s' FROM t"} {
		if back := original(respell(text)); back != "SELECT @x:=v, a > all  (SELECT @a := @b := 7), 'it''s' FROM t" {
			t.Error(back)
		}
	}
}
