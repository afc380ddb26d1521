package mock

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
func (s *Store) Record(take func(*Transaction)) { s.record = take }

func (t *txn) note(s *Store, e Event) {
	if s.record != nil {
		t.events = append(t.events, e)
	}
}

// hand hands on what has ended.
func (s *Store) hand(t *txn) {
	if s.record != nil {
		s.record(&Transaction{Session: t.session.Name, Number: t.number, Committed: t.state == committed, Events: t.events})
	}
	t.events = nil
}
