package check

import (
	"fmt"

	"github.com/txmc/txmc/history"
)

// Recording is a history to be checked, given transaction by transaction and
// operation by operation, so that nothing else needs to hold it in memory. Those
// of a session come in its order; sessions may be interleaved as they like.
//
// A method that does not name a transaction is about the one that was begun last.
// Transactions are counted from 0.
type Recording struct {
	recorder
	keys    map[string]int32
	few     []int32 // of keys whose names are small numbers: the key plus 1, or 0
	names   []string
	session map[int]int32
	err     error

	times
	serial     []int
	predicates []predicate
	named      map[string]*named
	wrong      []fault // of predicates
}

// times are those of transactions: of the database, and of the clients.
type times struct {
	start, commit    []int64
	called, returned []int64
}

// Key is the number of a key.
type Key int32

// Version is a value of a key.
type Version struct {
	Key     Key
	Value   int64
	Initial bool // the key's initial value; Value does not matter
}

// NewRecording returns an empty history.
func NewRecording() *Recording {
	return &Recording{recorder: *newRecorder(), keys: make(map[string]int32),
		session: make(map[int]int32), named: make(map[string]*named)}
}

// Key returns the number of the key of that name.
func (r *Recording) Key(name string) Key {
	n, ok := small(name)
	if !ok {
		k, ok := r.keys[name]
		if !ok {
			k = r.newKey(name)
			r.keys[name] = k
		}
		return Key(k)
	}
	if n >= len(r.few) {
		r.few = append(r.few, make([]int32, n+1-len(r.few))...)
	}
	if r.few[n] == 0 {
		r.few[n] = r.newKey(name) + 1
	}
	return Key(r.few[n] - 1)
}

func (r *Recording) newKey(name string) int32 {
	r.names = append(r.names, name)
	return int32(len(r.names) - 1)
}

// small returns the number that a name of up to five digits is. Those are looked up in
// a list, which is much faster than a map.
func small(name string) (n int, ok bool) {
	if len(name) == 0 || len(name) > 5 || name[0] == '0' && len(name) > 1 {
		return 0, false
	}
	for _, c := range []byte(name) {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = 10*n + int(c-'0')
	}
	return n, true
}

// Begin begins a transaction of a session and returns its number.
func (r *Recording) Begin(session int, fate history.Fate) int {
	s, ok := r.session[session]
	if !ok {
		s = int32(len(r.session))
		r.session[session] = s
	}
	r.begin(s, fate)
	return r.in.txns() - 1
}

// Write writes a value; the key's initial value may be written too. When the first
// transaction of all does that and nothing else, it is the initial transaction.
func (r *Recording) Write(v Version) { r.op(v, true) }

// Read reads a value.
func (r *Recording) Read(v Version) { r.op(v, false) }

func (r *Recording) op(v Version, write bool) {
	if r.in.txns() == 0 {
		r.fail(fmt.Errorf("an operation before the first transaction"))
		return
	}
	r.add(int32(v.Key), v.Value, v.Initial, write)
}

func (r *Recording) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// Append appends a value to the list of a key, which is empty at first.
func (r *Recording) Append(k Key, value int64) { r.Write(Version{Key: k, Value: value}) }

// ReadList reads the list of a key. It tells the order of the elements, and is a read
// of the last one before the own appends.
func (r *Recording) ReadList(k Key, values []int64) {
	t := int32(r.in.txns() - 1)
	if len(values) == 0 || t < 0 {
		r.Read(Version{Key: k, Initial: true})
		return
	}
	numbers := make([]int32, len(values))
	for i, v := range values {
		numbers[i] = r.number(Version{Key: k, Value: v})
	}
	own := r.own(int32(k))
	at, wrong := int32(len(r.in.opsOf(t))), r.missing(own, numbers)
	switch behind := len(values) - len(own); {
	case wrong >= 0:
		r.in.lists.misread(fault{InternalRead, t, at, t, wrong})
		r.Read(Version{Key: k, Value: values[len(values)-1]})
		return
	case len(own) == 0:
		r.Read(Version{Key: k, Value: values[len(values)-1]})
	case behind == 0:
		r.readBase(Version{Key: k, Initial: true})
	default:
		r.readBase(Version{Key: k, Value: values[behind-1]})
	}
	r.in.lists.ends = append(r.in.lists.ends, listEnd{t, int32(len(r.in.ops) - 1), int32(len(values) - len(own))})
	x := listRead{int32(k), numbers, t, at}
	switch r.in.fate[t] {
	case history.Committed:
		r.in.lists.read(x)
	case history.Unknown:
		r.in.lists.readUnsure(x)
	}
}

// readBase reads what was there before the own appends.
func (r *Recording) readBase(v Version) {
	r.Read(v)
	r.in.ops[len(r.in.ops)-1].base = true
}

// missing returns the last of the own appends that is not at its place at the end of a
// list. It returns -1 when all are.
func (r *Recording) missing(own, list []int32) int32 {
	ops := r.in.opsOf(int32(r.in.txns() - 1))
	for i := range own {
		position := own[len(own)-1-i]
		if i >= len(list) || list[len(list)-1-i] != ops[position].value {
			return position
		}
	}
	return -1
}

// number numbers a version that may not be in any operation.
func (r *Recording) number(v Version) int32 {
	n, isNew := r.values.number(int32(v.Key), v.Value, v.Initial)
	if isNew {
		r.in.initial = append(r.in.initial, v.Initial)
	}
	return n
}

// Versions notes the order in which values of a key were installed, as the
// database knows it. Values left out may be anywhere (King Cobra's and Emme's
// version orders). The initial value comes first anyway.
func (r *Recording) Versions(k Key, values []int64) {
	numbers := make([]int32, len(values))
	for i, v := range values {
		numbers[i] = r.number(Version{Key: k, Value: v})
	}
	r.in.versions = append(r.in.versions, versionOrder{int32(k), numbers, -1, Place{-1, -1}})
}

// Timestamps notes when the transaction began and committed.
func (r *Recording) Timestamps(start, commit int64) {
	for n := r.in.txns(); len(r.start) < n; {
		r.start, r.commit = append(r.start, 0), append(r.commit, 0)
	}
	t := r.in.txns() - 1
	r.start[t], r.commit[t] = start, commit
}

// Interval notes when a client called the transaction, and when it returned: realtime.Never if it did
// not.
func (r *Recording) Interval(called, returned int64) {
	if len(r.called) == r.in.txns()-1 { // else some transaction has none
		r.called, r.returned = append(r.called, called), append(r.returned, returned)
	}
}

// Serial notes the order in which the transactions are said to have happened, all
// that committed (Enne's expected serialization order).
func (r *Recording) Serial(txns []int) { r.serial = txns }

// Predicate notes a predicate read of the transaction. It read a version of each key: one in
// the set, or the initial one. Those that match are the result. Each of the result is also
// read by itself, by Read (Emme: Clark et al., EuroSys 2024).
func (r *Recording) Predicate(set, result []Version, match func(Version) bool) {
	r.predicates = append(r.predicates, predicate{int32(r.in.txns() - 1), set, result, match, nil, nil})
}

// Where is Predicate for a predicate with a name, whose matches Matches notes. A predicate
// without noted matches is left out.
//
// snapshot says which of the deletions that Deleted notes it saw: those at numbers below the
// first one and none of the others. It may be nil.
func (r *Recording) Where(name string, set, result []Version, snapshot []int64) {
	w := r.whereNamed(name)
	r.predicates = append(r.predicates, predicate{int32(r.in.txns() - 1), set, result, w.match, w, snapshot})
}

// Deleted notes that a version stands for a deleted key, and the number of the deletion.
func (r *Recording) Deleted(v Version, at int64) {
	if r.in.deletions == nil {
		r.in.deletions = make(map[int32][]deletion)
	}
	r.in.deletions[int32(v.Key)] = append(r.in.deletions[int32(v.Key)], deletion{r.number(v), at})
}

// Matches notes the versions that match the predicate of that name. All other versions do
// not match.
func (r *Recording) Matches(name string, versions []Version) {
	w := r.whereNamed(name)
	w.listed = true
	for _, v := range versions {
		w.matches[v] = true
	}
}

func (r *Recording) whereNamed(name string) *named {
	w, ok := r.named[name]
	if !ok {
		w = &named{name: name, matches: make(map[Version]bool)}
		r.named[name] = w
	}
	return w
}

// named is a predicate with a name.
type named struct {
	name    string
	matches map[Version]bool
	listed  bool
	changes []changes // see predicates.go
	known   bool      // whether changes are known
}

func (w *named) match(v Version) bool { return w.matches[v] }

type predicate struct {
	txn         int32
	set, result []Version
	match       func(Version) bool
	where       *named // nil for one without a name
	snapshot    []int64
}
