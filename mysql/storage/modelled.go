package storage

import (
	"io"
	"slices"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"

	"github.com/txmc/txmc/mysql/model"
	"github.com/txmc/txmc/program/access"
)

// Scans under a model of the database: a plain SELECT reads a range from its view, and
// all other scans go from row to row by a cursor that locks.

// modelled is a scan of a table, or of ranges of an index.
type modelled struct {
	t      *Table
	lookup *sql.IndexLookup
	begun  bool
	reading
	last   model.Row
	judged access.Judgement // of the last row
	writing
}

// reading is how far a scan has come.
type reading struct {
	plain  []model.Row // of a view, that are left
	ranges []ranged    // that have not been begun
	cursor *model.Cursor
	within []sql.MySQLRange // of the cursor: a row is in one of them
	turned bool             // it goes through the index backwards
	parts  []Part           // that its entries decide
	cut    bool             // its entries have beginnings of texts
}

// writing is how a scan goes on with rows that are wanted.
type writing struct {
	keeps    bool        // what it does not want stays locked: see Statement.Single
	collects bool        // rows are written when all are found
	found    []model.Row // and those that are wanted so far
	again    bool        // they are looked up again
}

// ranged is a range of an index.
type ranged struct {
	index int
	at    *access.Range
	of    []sql.MySQLRange
	parts []Part // of conditions that an entry decides
	cut   bool   // an entry has beginnings of texts
}

// Next implements sql.RowIter.
func (m *modelled) Next(ctx *sql.Context) (sql.Row, error) {
	if !m.begun {
		m.begun, m.t.scan = true, m
		if err := m.begin(ctx); err != nil {
			return nil, err
		}
	}
	for {
		ok, err := m.next(ctx)
		if err != nil {
			return nil, err
		}
		if !ok {
			return nil, io.EOF
		}
		in, err := m.inside(ctx)
		if err != nil {
			return nil, err
		}
		if in && m.t.deferred || m.Judge(in) {
			m.t.scan = m
			if !m.last.Committed { // else it comes again, as it is then, if it is wanted
				sessionOf(ctx).met(m.t.def, m.last)
			}
			return m.last.Row.Copy(), nil
		}
	}
}

// Close implements sql.RowIter.
func (m *modelled) Close(*sql.Context) error { return nil }

// Judge takes whether the statement wants the row that has come last, and reports
// whether it may have it now.
func (m *modelled) Judge(wanted bool) bool {
	m.judged = access.Wanted
	switch {
	case !wanted && m.keeps:
		return false
	case !wanted:
		m.judged = access.Unwanted
		return false
	case m.last.Committed:
		m.judged = access.Again
		return false
	case m.collects && !m.again:
		m.found = append(m.found, m.last)
		return false
	}
	return true
}

// inside reports whether the last row is in the range that the engine asks for. The scan may
// know only how the range begins.
func (m *modelled) inside(ctx *sql.Context) (bool, error) {
	if m.within == nil {
		return true, nil
	}
	for _, r := range m.within {
		if in, err := m.lookup.Index.(*Index).within(ctx, r, m.last.Row); in || err != nil {
			return in, err
		}
	}
	return false, nil
}

// next goes to the next row.
func (m *modelled) next(ctx *sql.Context) (ok bool, err error) {
	if len(m.plain) > 0 {
		m.last, m.plain = m.plain[0], m.plain[1:]
		return true, nil
	}
	for {
		if m.cursor != nil {
			m.last, ok, err = m.cursor.Next(m.judged)
			if ok && m.last.Entry {
				if err = m.judgeEntry(ctx); err == nil {
					continue
				}
			}
			if ok || err != nil {
				return ok, err
			}
			m.cursor, m.judged = nil, access.Wanted
		}
		if ok, err := m.open(ctx); !ok || err != nil {
			return false, err
		}
	}
}

// open opens a cursor on the next range, or on the next row that is looked up again.
func (m *modelled) open(ctx *sql.Context) (bool, error) {
	s, d := runOf(ctx).model, m.t.def
	if len(m.ranges) > 0 {
		r := m.ranges[0]
		m.ranges = m.ranges[1:]
		m.cursor, m.within, m.parts = s.Open(d.model, r.index, r.at), r.of, r.parts
		m.cut = r.cut
		return true, nil
	}
	if len(m.found) == 0 {
		return false, nil
	}
	row := m.found[0]
	m.again, m.found = true, m.found[1:]
	at, err := s.At(ctx, d.model, row, d.content(row.Row))
	m.cursor, m.within = s.Open(d.model, 0, at), nil
	return true, err
}

// begin finds out how the table is read.
func (m *modelled) begin(ctx *sql.Context) error {
	s := sessionOf(ctx)
	if err := m.t.Used(ctx, false); err != nil {
		return err
	}
	lock, locks := m.t.locking(ctx)
	if err := m.split(ctx, lock); err != nil {
		return err
	}
	if !locks {
		return m.read(ctx)
	}
	if m.t.drains(s) { // what is written is not found again
		return m.drain(ctx)
	}
	return nil
}

// split makes the ranges of the scan.
func (m *modelled) split(ctx *sql.Context, lock Lock) error {
	d, place := m.t.def, m.t.place()
	if m.lookup == nil {
		m.ranges = []ranged{m.ranged(ctx, lock, 0, nil, &access.Range{}, nil)}
		return nil
	}
	x := m.lookup.Index.(*Index)
	i := d.model.Find(x.name, x.columns)
	groups, err := x.Groups(ctx, m.lookup)
	if err != nil {
		return err
	}
	reverse := m.lookup.IsReverse && !place.ordersNothing(ctx, d, x.parts(), groups)
	down := x.down || reverse && place.orders(d, x.parts()[len(x.columns):])
	m.turned = reverse || down
	for _, g := range groups {
		at, err := d.rangeOf(ctx, d.model.Indexes[i], x.parts(), g.First(), reverse, down)
		if err != nil {
			return err
		}
		for _, r := range g.ends[1:] {
			other, err := d.rangeOf(ctx, d.model.Indexes[i], x.parts(), r, reverse, down)
			if err != nil {
				return err
			}
			widen(at, other)
		}
		at.Among = len(groups) > 1
		m.keeps = place.Single && i == 0 && at.Exact && !at.Among && len(at.Low) == len(d.model.Indexes[0].Columns)
		m.ranges = append(m.ranges, m.ranged(ctx, lock, i, x.parts(), at, g.of))
	}
	return nil
}

// ranged is a range with what the statement does there.
func (m *modelled) ranged(ctx *sql.Context, lock Lock, i int, columns []int, at *access.Range, of []sql.MySQLRange) ranged {
	d, place := m.t.def, m.t.place()
	r := ranged{index: i, at: at, of: of}
	x := d.model.Indexes[i]
	at.Exclusive = !lock.Shared
	at.Acts = m.t.now
	at.Semi = place.Semi && !at.Acts
	if i > 0 && m.t.reads(ctx) {
		at.Covering = place.covered(d, x)
		at.Pushed = !at.Covering && !at.Descending
		if at.Pushed && !m.turned {
			m.push(ctx, x, columns, &r)
		}
	}
	switch {
	case lock.SkipLocked:
		at.Wait = access.Skip
	case lock.NoWait:
		at.Wait = access.NoWait
	}
	m.collects = place.Target && place.sets(d, x) && !at.Acts
	return r
}

// read reads all ranges from the view.
func (m *modelled) read(ctx *sql.Context) error {
	run := runOf(ctx)
	for _, r := range m.ranges {
		list, err := run.model.Read(m.t.def.model, r.index, r.at)
		if err != nil {
			return err
		}
		for _, row := range list {
			m.last, m.within = row, r.of
			ok, err := m.inside(ctx)
			if err != nil {
				return err
			}
			if ok {
				m.plain = append(m.plain, row)
			}
		}
	}
	m.ranges, m.within = nil, nil
	return nil
}

// drain goes through all ranges before the engine has the first row.
func (m *modelled) drain(ctx *sql.Context) error {
	var list []model.Row
	for {
		ok, err := m.next(ctx)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if ok, err = m.inside(ctx); err != nil {
			return err
		}
		if m.judged = access.Unwanted; ok {
			m.judged = access.Wanted
			list = append(list, m.last)
			if m.lookup != nil && m.lookup.Index.(*Index).one {
				break
			}
		}
	}
	m.plain, m.within = list, nil
	return nil
}

// Modelled reports whether a model of the database answers.
func (t *Table) Modelled(ctx *sql.Context) bool { return runOf(ctx).model != nil }

// Judge takes whether the statement wants the row that the table's scan has returned
// last, and reports whether it may have it now.
func (t *Table) Judge(wanted bool) bool { return t.scan.Judge(wanted) }

// met notes a row that the statement has come upon, for tables whose rows have a key
// that nobody sees.
func (s *Session) met(d *Def, row model.Row) {
	if row.Hidden == 0 {
		return
	}
	if s.hidden == nil {
		s.hidden = map[string][]int32{}
	}
	key := strings.ToLower(d.name) + " " + d.content(row.Row).Key()
	if !slices.Contains(s.hidden[key], row.Hidden) {
		s.hidden[key] = append(s.hidden[key], row.Hidden)
	}
}

// named is a row that the engine means, with its hidden key if it has one: of rows with
// the same content, any.
func (s *Session) named(d *Def, row sql.Row, gone bool) model.Row {
	key := strings.ToLower(d.name) + " " + d.content(row).Key()
	list := s.hidden[key]
	if len(list) == 0 {
		return model.Row{Row: row}
	}
	if gone {
		s.hidden[key] = list[1:]
	}
	return model.Row{Row: row, Hidden: list[0]}
}
