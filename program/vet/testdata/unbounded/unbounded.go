// Package unbounded retries for ever.
package unbounded

import (
	"bufio"
	"container/list"
	"context"
	"errors"
	"strings"

	"github.com/txmc/txmc"
)

var errConflict = errors.New("conflict")

func try(s *txmc.Session) error {
	return s.Txn("try", func(tx *txmc.Tx) error {
		if tx.Read("x") != nil {
			return errConflict
		}
		return nil
	})
}

func ExploreForever(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		for { // want `this loop around the transaction at unbounded.go:28 has no visible bound: .* count the attempts, as in: for range 3 { ... } \(unbounded\)`
			if err := try(s); err == nil {
				break
			}
		}
		for try(s) != nil { // want `loop around the transaction at unbounded.go:32 has no visible bound`
		}
		done := false
		for !done { // want `has no visible bound`
			s.Txn("t", func(tx *txmc.Tx) error { done = tx.Read("done") == true; return nil })
		}
		attempts := 0
		for { // want `has no visible bound`
			attempts++
			if try(s) == nil {
				break
			}
		}
		s.Observe("attempts", attempts)
		for { // want `has no visible bound`
			tx := s.Begin("b")
			free := tx.Read("x") == nil
			tx.Commit()
			if free {
				return
			}
		}
	})
	p.Session("b", func(s *txmc.Session) { again(s) })
	p.Session("c", func(s *txmc.Session) {
		for errors.Is(try(s), errConflict) { // want `has no visible bound`
		}
		var err error = errConflict
		for !errors.Is(err, nil) { // want `has no visible bound`
			err = try(s)
		}
		ctx := context.Background()
		for ctx.Err() == nil { // want `has no visible bound`
			_ = try(s)
		}
	})
}

func again(s *txmc.Session) {
	if try(s) != nil {
		again(s) // want `this function runs transactions and calls itself, without a visible bound`
	}
}

func ExploreBounded(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		for range 3 {
			if try(s) == nil {
				break
			}
		}
		for i := 0; i < 3; i++ {
			_ = try(s)
		}
		for i := 0; ; i++ {
			if err := try(s); err == nil || i == 2 {
				break
			}
		}
		tries := 3
		for try(s) != nil && tries > 0 {
			tries--
		}
		for _, k := range []string{"a", "b"} {
			_ = s.Txn(k, func(tx *txmc.Tx) error { tx.Read(k); return nil })
		}
		queue := []string{"a", "b"}
		for len(queue) > 0 {
			queue = queue[1:]
			_ = try(s)
		}
		failures := 0
		for failures < 3 {
			err := s.Txn("t", func(tx *txmc.Tx) error {
				if tx.Read("x") == nil {
					failures++
					return errConflict
				}
				failures = failures + 2
				return nil
			})
			if err == nil {
				break
			}
		}
		const max = 3
		for attempt := 1; try(s) != nil; attempt++ {
			if attempt >= max {
				s.Observe("gave up", attempt)
				return
			}
		}
		retry(s, 3)
		limited(s, 3)
		walk(s, &tree{})
		lines := bufio.NewScanner(strings.NewReader("a\nb"))
		for lines.Scan() {
			_ = s.Txn(lines.Text(), func(tx *txmc.Tx) error { tx.Read("x"); return nil })
		}
		for e := list.New().Front(); e != nil; e = e.Next() {
			_ = try(s)
		}
	})
}

func retry(s *txmc.Session, n int) {
	for n > 0 {
		if try(s) == nil {
			return
		}
		n--
	}
}

func limited(s *txmc.Session, n int) {
	if n > 0 && try(s) != nil {
		limited(s, n-1)
	}
}

type tree struct{ children []*tree }

func walk(s *txmc.Session, t *tree) {
	for _, c := range t.children {
		walk(s, c)
	}
	_ = try(s)
}

// Loops inside a transaction read until they find something: --max-ops bounds
// them.
func ExploreWalk(p *txmc.Program) {
	p.Session("a", func(s *txmc.Session) {
		_ = s.Txn("walk", func(tx *txmc.Tx) error {
			node, _ := tx.Read("head").(string)
			for node != "" {
				node, _ = tx.Read("next/" + node).(string)
			}
			return nil
		})
	})
}
