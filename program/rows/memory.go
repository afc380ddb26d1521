package rows

import "maps"

// Memory is a store of variables without a history: every transaction sees what
// has been committed last. Schemas and seeds are run on it.
type Memory struct {
	committed map[string]any
	locks     map[string]*memoryLock
}

// memoryLock is who holds a key.
type memoryLock struct {
	shared  bool
	holders map[*memoryLog]bool
}

// NewMemory returns an empty store.
func NewMemory() *Memory {
	return &Memory{committed: map[string]any{}, locks: map[string]*memoryLock{}}
}

// All returns what has been committed.
func (m *Memory) All() map[string]any { return m.committed }

// Fill commits values, as of rows that have been adopted.
func (m *Memory) Fill(values map[string]any) { maps.Copy(m.committed, values) }

// Log returns the log of a session on the store.
func (m *Memory) Log() Log { return &memoryLog{memory: m} }

type memoryLog struct {
	memory *Memory
	open   bool
	own    map[string]any
	taken  map[string]bool // keys that are locked
}

func (l *memoryLog) Open() bool { return l.open }

func (l *memoryLog) Begin() error {
	l.open, l.own = true, map[string]any{}
	return nil
}

func (l *memoryLog) Read(key string) (any, error) {
	if v, ok := l.own[key]; ok {
		return v, nil
	}
	return l.memory.committed[key], nil
}

func (l *memoryLog) Lock(key string) (any, error) { return l.Read(key) }

func (l *memoryLog) Write(key string, v any) error {
	l.own[key] = v
	return nil
}

func (l *memoryLog) Commit() error {
	for k, v := range l.own {
		if v == nil {
			delete(l.memory.committed, k)
		} else {
			l.memory.committed[k] = v
		}
	}
	l.end()
	return nil
}

func (l *memoryLog) Abort(string) error {
	l.end()
	return nil
}

func (l *memoryLog) end() {
	l.open = false
	for key := range l.taken {
		lock := l.memory.locks[key]
		if delete(lock.holders, l); len(lock.holders) == 0 {
			delete(l.memory.locks, key)
		}
	}
	l.taken = nil
}

// Take locks a key until the transaction ends.
func (l *memoryLog) Take(key string, shared bool) bool {
	lock := l.memory.locks[key]
	switch {
	case lock == nil:
		lock = &memoryLock{shared: shared, holders: map[*memoryLog]bool{}}
		l.memory.locks[key] = lock
	case len(lock.holders) == 1 && lock.holders[l]:
		lock.shared = lock.shared && shared
	case !lock.shared || !shared:
		return false
	}
	lock.holders[l] = true
	if l.taken == nil {
		l.taken = map[string]bool{}
	}
	l.taken[key] = true
	return true
}

func (l *memoryLog) Mark() func() error {
	before := maps.Clone(l.own)
	return func() error {
		l.own = before
		return nil
	}
}

func (l *memoryLog) Again(string, Content) error { return nil }

// Refuse has nobody to tell: the statement fails.
func (l *memoryLog) Refuse(string) error { return nil }
