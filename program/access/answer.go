package access

import (
	"encoding/binary"
	"errors"
)

// Result is how a request ends.
type Result uint8

// The results, those of PostgreSQL's table access methods (TM_Result) among them.
const (
	OK           Result = iota
	Invisible           // made by this command itself, or by a transaction that has not committed
	SelfModified        // changed by this command itself
	Updated             // a committed transaction has made a newer version
	Deleted             // a committed transaction has deleted the row
	WouldBlock          // NoWait: it would have to wait
	Conflict            // Probe, Insert, Enter: a live row has the key
	Failed              // the statement fails with Code
	Ended               // of a cursor: there is no further row
	Committed           // of a cursor: somebody else has locked the row; this is its last committed version
	Entry               // of a cursor that Judges: an entry of its index; of the version only the columns of the index mean something
)

// Version is a row version with its content.
type Version struct{ Name, Value int32 }

// Answer is the answer to a request.
type Answer struct {
	Result   Result
	Code     string    // of Failed: the SQLSTATE
	Command  int32     // of SelfModified: the command that did it; of Next: the Floor of the last Renumber
	Count    int32     // of Next: how many were taken since; of a Conflict of Trees: the number of the index in its table
	Key      bool      // of Updated: the update changes a key
	Enters   bool      // of Update: the new version has to enter the indexes
	Each     bool      // of ScanIndex: the versions have to be met one by one
	Versions []Version // of scans: in physical order; else the version that was locked, made or found
}

// Encode is a string that is equal for equal answers.
func (a *Answer) Encode() string {
	b := append(make([]byte, 0, 16), byte(a.Result), flags(a.Key, a.Enters, a.Each), byte(len(a.Code)))
	b = append(b, a.Code...)
	b = binary.AppendVarint(b, int64(a.Command))
	b = binary.AppendVarint(b, int64(a.Count))
	for _, v := range a.Versions {
		b = binary.AppendVarint(b, int64(v.Name))
		b = binary.AppendVarint(b, int64(v.Value))
	}
	return string(b)
}

// Fits reports whether the answer may be one to a request of that kind.
func (a *Answer) Fits(k Kind) bool {
	n := 0 // versions at least
	switch {
	case a.Result > Failed:
		return false
	case a.Result == Conflict && (k == Insert || k == Enter || k == Recheck):
		n = 2
	case a.Result == Conflict && k == Probe, a.Result == OK && (k == Insert || k == Update || k == Lock):
		n = 1
	case a.Result == Conflict:
		return false
	}
	return len(a.Versions) >= n
}

func flags(list ...bool) (x byte) {
	for i, f := range list {
		if f {
			x |= 1 << i
		}
	}
	return x
}

// Decode is the answer that was encoded.
func Decode(s string) (a Answer, err error) {
	b := []byte(s)
	if len(b) < 3 || len(b) < 3+int(b[2]) {
		return a, errors.New("not an answer")
	}
	a.Result, a.Key, a.Enters, a.Each = Result(b[0]), b[1]&1 != 0, b[1]&2 != 0, b[1]&4 != 0
	a.Code, b = string(b[3:3+b[2]]), b[3+b[2]:]
	next := func() int32 {
		x, n := binary.Varint(b)
		if n <= 0 {
			err, b = errors.New("not an answer"), nil
			return 0
		}
		b = b[n:]
		return int32(x)
	}
	a.Command, a.Count = next(), next()
	for len(b) > 0 {
		a.Versions = append(a.Versions, Version{next(), next()})
	}
	return a, err
}
