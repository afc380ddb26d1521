package table

// Memory is a store without concurrency: the transactions that run on it do so
// one after another. It is what exploration is compared with.
type Memory struct {
	state map[string]any
	undo  []change
}

type change struct {
	key string
	was any
	had bool
}

// NewMemory makes an empty store.
func NewMemory() *Memory { return &Memory{state: map[string]any{}} }

// Read returns the value of key, nil when nobody wrote it.
func (m *Memory) Read(key string) any { return m.state[key] }

// Write stores v under key.
func (m *Memory) Write(key string, v any) {
	was, had := m.state[key]
	m.undo = append(m.undo, change{key, was, had})
	m.state[key] = v
}

// Txn runs body as a transaction and undoes it when body returns an error.
func (m *Memory) Txn(body func(Tx) error) error {
	mark := m.Mark()
	err := body(m)
	if err != nil {
		m.Undo(mark)
	}
	return err
}

// Mark names the present state for Undo.
func (m *Memory) Mark() int { return len(m.undo) }

// Undo goes back to the state that mark names.
func (m *Memory) Undo(mark int) {
	for i := len(m.undo) - 1; i >= mark; i-- {
		if c := m.undo[i]; c.had {
			m.state[c.key] = c.was
		} else {
			delete(m.state, c.key)
		}
	}
	m.undo = m.undo[:mark]
}
