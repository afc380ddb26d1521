package replay_test

import (
	"testing"

	"github.com/txmc/txmc/explore/replay"
	"github.com/txmc/txmc/isolation"
	"github.com/txmc/txmc/program"
)

// FuzzFile: whatever a saved violation says, there is an error or an answer.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"type":"saved","version":1,"dir":"/","max_ops":9,"violation":{"type":"violation","program":"ExploreA","iso":"cc",` +
		`"failures":[{"kind":"final","name":"f","message":"m"}],"history":{"transactions":[` +
		`{"id":"init","session":"init","index":0,"name":"","status":"committed","events":[{"op":"write","key":"x","value":0}]},` +
		`{"id":"a/1","session":"a","index":1,"name":"inc","status":"committed","events":[{"op":"read","key":"x","value":0,"from":"init"},{"op":"write","key":"x","value":1}]},` +
		`{"id":"b/1","session":"b","index":1,"name":"inc","status":"committed","events":[{"op":"read","key":"x","value":1,"from":"a/1"},{"op":"write","key":"x","value":2}]}],` +
		`"wr":[]},"order":["init","a/1","b/1"]}}`))
	explore := func(p *program.Program) {
		x := program.NewVar(p, "x", 0)
		for _, name := range []string{"a", "b"} {
			p.Session(name, func(s *program.Session) {
				s.Txn("inc", func(tx *program.Tx) error { x.Set(tx, x.Get(tx)+1); return nil })
			})
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := replay.Parse("saved.json", data)
		if err != nil {
			return
		}
		client, err := program.NewClient("ExploreA", explore, program.Options{})
		if err != nil {
			t.Fatal(err)
		}
		level, err := isolation.Parse(file.Violation.Iso)
		if err != nil {
			t.Fatal("it was read: ", err)
		}
		replay.Run(client, "p", file.Violation, level)
		client.Park()
	})
}
