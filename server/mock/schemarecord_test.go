package mock

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/txmc/txmc/history/check"
	"github.com/txmc/txmc/history/format"
	"github.com/txmc/txmc/history/judge"
	"github.com/txmc/txmc/isolation"
)

// One statement after another is serializable, also where a definition is among them: what is recorded says so.
func TestDefinitionsAreRecorded(t *testing.T) {
	for _, level := range []isolation.Level{isolation.PgRC, isolation.SER} {
		t.Run(level.String(), func(t *testing.T) {
			t.Parallel()
			s, dsn := start(t, Options{Level: level}, accounts)
			own, err := format.ByName("txmc")
			if err != nil {
				t.Fatal(err)
			}
			var b bytes.Buffer
			to, end, err := own.Write(&b)
			if err != nil {
				t.Fatal(err)
			}
			s.Record(Recorder(to, func(err error) { t.Error(err) }))
			c := dial(t, dsn)
			for _, sql := range []string{
				"UPDATE account SET balance = 7 WHERE id = 1", "INSERT INTO log (account, amount) VALUES (1, 5)",
				"ALTER TABLE account ADD COLUMN kind text", "UPDATE account SET balance = balance + 1 WHERE id = 1",
				"CREATE TABLE item (id int PRIMARY KEY)", "INSERT INTO item VALUES (1)", "SELECT * FROM account, log, item",
			} {
				does(t, c, sql)
			}
			if err := end(); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join(t.TempDir(), "served.jsonl")
			if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
				t.Fatal(err)
			}
			f, err := judge.Load(context.Background(), file, nil, true)
			if err != nil {
				t.Fatal(err)
			}
			if err := f.Judge(t.Context(), []isolation.Level{isolation.SER}, judge.Options{}, func(v *judge.Verdict) error {
				if v.Outcome != check.Satisfied {
					t.Errorf("%v at ser:\n%s", v.Outcome, b.String())
				}
				return nil
			}); err != nil {
				t.Fatal(err)
			}
		})
	}
}
