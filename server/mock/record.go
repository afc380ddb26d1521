package mock

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/txmc/txmc/history"
)

// Transaction is what a transaction did, for those who record it.
type Transaction struct {
	Session   string
	Number    int64 // counted from 1, by the order in which transactions begin
	Committed bool
	Events    []Event
}

// Event is an operation that was answered.
type Event struct {
	Write   bool
	Key     string
	Version int64 // of the value; 0: what nobody has written
	Value   any
	Own     bool // a read of the transaction's own write
	Lock    bool // a locking read
}

// Record makes the store hand on each transaction that has ended, in the order of
// their ends. It is called before the store is used. What take does delays the store.
func (s *KV) Record(take func(*Transaction)) { s.record = take }

func (t *txn) note(s *KV, e Event) {
	if s.record != nil {
		t.events = append(t.events, e)
	}
}

// hand hands on what has ended.
func (s *KV) hand(t *txn) {
	if s.record != nil {
		s.record(&Transaction{Session: t.session.Name, Number: t.number, Committed: t.state == committed, Events: t.events})
	}
	t.events = nil
}

// Recorder returns what hands transactions on as a recorded history. A value is the
// number of its version, which is unique, and its text. The first error of the sink
// goes to failed; what comes after it is not recorded.
func Recorder(to history.Sink, failed func(error)) func(*Transaction) {
	broken := false
	return func(t *Transaction) {
		if broken {
			return
		}
		if err := to.Txn(t.recorded()); err != nil {
			broken = true
			failed(err)
		}
	}
}

// recorded is the transaction as it is recorded.
func (t *Transaction) recorded() *history.Txn {
	r := &history.Txn{Session: t.Session, ID: strconv.FormatInt(t.Number, 10), Fate: history.Aborted}
	if t.Committed {
		r.Fate = history.Committed
	}
	for _, e := range t.Events {
		op := history.Op{Kind: history.Read, Key: e.Key, Value: history.Value{Kind: history.Initial}}
		if e.Write {
			op.Kind = history.Write
		}
		if e.Version > 0 {
			op.Value = history.Value{Kind: history.Text, Text: fmt.Sprintf("%d: %s", e.Version, shown(e.Value))}
		}
		r.Ops = append(r.Ops, op)
	}
	return r
}

// shown is a value in a few words.
func shown(v any) string {
	const most = 100
	b, err := json.Marshal(v)
	if err != nil {
		b = fmt.Append(nil, v)
	}
	if r := []rune(string(b)); len(r) > most {
		return string(r[:most]) + "…"
	}
	return string(b)
}
