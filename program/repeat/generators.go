package repeat

import (
	crypto "crypto/rand"
	"io"
	"math/rand/v2"
	_ "unsafe" // for go:linkname
)

// Generators of identifiers that others have published keep what they gave last, for
// the whole process: a run would get other identifiers than the run before it. Each run
// has their state for itself here, and begins with a new one.
//
// The variables are those of the packages where these are linked, and nobody's where
// they are not.

// github.com/google/uuid: versions 1, 2 and 6 have lasttime, clockSeq and nodeID, which
// is the machine's, version 7 lastV7time, and the pool of random numbers poolPos.
//
//go:linkname uuidTime github.com/google/uuid.lasttime
var uuidTime uint64

//go:linkname uuidSequence github.com/google/uuid.clockSeq
var uuidSequence uint16

//go:linkname uuidTime7 github.com/google/uuid.lastV7time
var uuidTime7 int64

//go:linkname uuidNode github.com/google/uuid.nodeID
var uuidNode [6]byte

//go:linkname uuidPool github.com/google/uuid.poolPos
var uuidPool int

// github.com/rs/xid: the counter, and the process's number.
//
//go:linkname xidCounter github.com/rs/xid.objectIDCounter
var xidCounter uint32

//go:linkname xidProcess github.com/rs/xid.pid
var xidProcess int

// github.com/oklog/ulid/v2: the source of Make.
//
//go:linkname ulidEntropy github.com/oklog/ulid/v2.defaultEntropy
var ulidEntropy io.Reader

// generators is the state of all of them.
type generators struct {
	uuidTime     uint64
	uuidSequence uint16
	uuidTime7    int64
	uuidNode     [6]byte
	uuidPool     int
	xidCounter   uint32
	xidProcess   int
	ulidEntropy  io.Reader
	gofrs4       gofrs
	gofrs5       gofrs
}

// uuidPoolSize is the pool's size, which stands for an empty one.
const uuidPoolSize = 16 * 16

// local is a bit of an address that no machine's has.
const local = 2

// newGenerators is the state with which a run begins.
func newGenerators(seed uint64) generators {
	r := rand.New(rand.NewPCG(seed, 0))
	return generators{uuidNode: [6]byte{local, 5: 1}, uuidPool: uuidPoolSize, xidCounter: r.Uint32(), xidProcess: 1, ulidEntropy: &monotonic{},
		gofrs4: renewed(gofrs4), gofrs5: renewed(gofrs5)}
}

// exchange puts g in place of the state that is in force, which it returns.
func (g generators) exchange() generators {
	before := generators{uuidTime, uuidSequence, uuidTime7, uuidNode, uuidPool, xidCounter, xidProcess, ulidEntropy, gofrs4, gofrs5}
	uuidTime, uuidSequence, uuidTime7, uuidNode, uuidPool = g.uuidTime, g.uuidSequence, g.uuidTime7, g.uuidNode, g.uuidPool
	xidCounter, xidProcess, ulidEntropy = g.xidCounter, g.xidProcess, g.ulidEntropy
	gofrs4, gofrs5 = g.gofrs4, g.gofrs5
	return before
}

// monotonic gives random numbers of ten bytes, in ascending order within a millisecond:
// ulid.MonotonicReader.
type monotonic struct {
	ms   uint64
	last [10]byte
	some bool
}

// Read gives random bytes.
func (m *monotonic) Read(b []byte) (int, error) { return crypto.Read(b) }

// MonotonicRead gives the next number of the millisecond.
func (m *monotonic) MonotonicRead(ms uint64, b []byte) error {
	if !m.some || ms != m.ms {
		if _, err := crypto.Read(m.last[:]); err != nil {
			return err
		}
		m.last[0] &= 0x7f // so that there are always more
	} else {
		m.increase()
	}
	m.ms, m.some = ms, true
	copy(b, m.last[:])
	return nil
}

func (m *monotonic) increase() {
	for i := len(m.last) - 1; i >= 0; i-- {
		if m.last[i]++; m.last[i] != 0 {
			return
		}
	}
}
