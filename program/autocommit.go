package program

import (
	"errors"

	"github.com/txmc/txmc/program/behaviour"
)

// Auto runs one operation in autocommit, without BEGIN and COMMIT: it is a transaction by itself.
// Under a database's model its commit is a step of its own where the operation has written or
// locked rows, or has read at PostgreSQL's SERIALIZABLE. Others may run before that step. Auto
// returns the operation's [*behaviour.DBError], or nil. A second operation in it is misuse.
func (s *Session) Auto(operation func(tx *Tx), options ...TxnOption) error {
	r := s.enter("Auto")
	loc := r.caller()
	if operation == nil {
		r.misuse(loc, "Auto needs a function, got nil")
	}
	return s.auto("auto", loc, operation, options...)
}

// Read is [Tx.Read] in autocommit. Where the database fails it, it returns nil:
// [Session.Err] tells why.
func (s *Session) Read(key string) (value any) {
	loc := s.enter("Read").caller()
	s.auto("read", loc, func(tx *Tx) {
		tx.ops++
		value = tx.read(tx.variable(key, "Read", loc), 0, loc)
	})
	return value
}

// Write is [Tx.Write] in autocommit. It returns a [*behaviour.DBError] where the database fails
// it.
func (s *Session) Write(key string, v any) error {
	loc := s.enter("Write").caller()
	return s.auto("write", loc, func(tx *Tx) {
		tx.ops++
		tx.write(tx.variable(key, "Write", loc), v, loc)
	})
}

// Err is the error of the session's last operation in autocommit, a [*behaviour.DBError] or nil.
func (s *Session) Err() error {
	s.enter("Err")
	return s.run.autoErr
}

func (s *Session) auto(name string, loc behaviour.Loc, operation func(tx *Tx), options ...TxnOption) error {
	r := s.run
	r.autoErr = nil
	if r.calls++; r.leavesOut(r.calls - 1) {
		return nil
	}
	r.autoErr = r.transact(name, loc, func(tx *Tx) error {
		operation(tx)
		if tx.ops == 0 {
			r.misuse(loc, "Auto needs an operation: the function given to it has none")
		}
		var db *behaviour.DBError
		if errors.As(tx.Err(), &db) {
			return db
		}
		return nil
	}, r.assertionIn, append(options[:len(options):len(options)], func(tx *Tx) { tx.auto = true })...)
	return r.autoErr
}
