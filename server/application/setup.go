package application

import (
	"encoding/binary"
	"fmt"
	"maps"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Until sessions begin, an application has made rows with identifiers and times of its own, which are others each time that it is started. The
// database gets values in their place that depend on the statement alone, so that sessions begin with the same rows in all processes, and times
// are near those of the database's clock. A first start, on a database that nobody looks at, shows which values these are: a later one does not send them
// again.

// setup are the values of starts.
type setup struct {
	mu     sync.Mutex
	begins time.Time                    // the database's clock
	learns bool                         // the first start is under way
	first  map[string]map[string]string // its values, by the statement and by where they are in it
	stays  map[string]bool              // these values

	names map[string]string // the values of the start on the database that sessions begin with, and of the first; those in their place
	back  map[string]string // the other way, of the former
	seen  map[string]int    // statements of the present start, and how often each was sent
	times int               // those of it with times
	timed bool              // the present one is among them
}

// learn starts what f starts for the first time.
func (u *setup) learn(f func() error) error {
	u.begin()
	u.learns, u.first, u.stays = true, map[string]map[string]string{}, map[string]bool{}
	defer func() { u.learns = false }()
	return f()
}

// begin forgets the values of a start. Another one follows.
func (u *setup) begin() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.names, u.back = map[string]string{}, map[string]string{}
	u.seen, u.times = map[string]int{}, 0
}

// known are the values so far.
func (u *setup) known() (names, back map[string]string) {
	u.mu.Lock()
	defer u.mu.Unlock()
	return maps.Clone(u.names), maps.Clone(u.back)
}

// sends is a batch in these values. Named gives the text of a prepared statement.
func (u *setup) sends(b batch, named func(string) string) batch {
	u.mu.Lock()
	defer u.mu.Unlock()
	out := b
	out.messages, u.timed = nil, false
	texts := map[string]string{} // of the batch
	for _, m := range b.messages {
		var q pgproto3.Query
		var p pgproto3.Parse
		var d pgproto3.Bind
		switch {
		case m[0] == 'Q' && m.decode(&q):
			q.String = u.as(q.String, "", true)
			m = encode(&q)
		case m[0] == 'P' && m.decode(&p):
			texts[p.Name] = p.Query
			p.Query = u.as(p.Query, "", true)
			m = encode(&p)
		case m[0] == 'B' && m.decode(&d):
			text, ok := texts[d.PreparedStatement]
			if !ok {
				text = named(d.PreparedStatement)
			}
			shape, _ := skeleton(text, true)
			for i, v := range d.Parameters {
				if v != nil {
					d.Parameters[i] = u.value(v, fmt.Sprintf("%s\x02%d", shape, i))
				}
			}
			m = encode(&d)
		}
		out.messages = append(out.messages, m)
	}
	return out
}

// value is as for a parameter, which may be a UUID in its binary form.
func (u *setup) value(v []byte, where string) []byte {
	if id := binaryUUID(v); id != "" {
		return bytesOf(u.as(id, where, false))
	}
	return []byte(u.as(string(v), where, false))
}

// as is a text in these values.
func (u *setup) as(text, where string, sql bool) string {
	shape, own := skeleton(text, sql)
	if len(own) == 0 {
		return text
	}
	shape = where + "\x02" + shape
	u.seen[shape]++
	shape = fmt.Sprint(shape, u.seen[shape])
	i := -1
	return inValues(text, sql, func(v string) string {
		i++
		place := fmt.Sprint(i)
		if u.learns {
			if u.first[shape] == nil {
				u.first[shape] = map[string]string{}
			}
			u.first[shape][place], u.stays[v] = v, true
			return v
		}
		if known, ok := u.names[v]; ok {
			return known
		}
		if u.stays[v] || u.first == nil {
			return v
		}
		if strings.Contains(v, ":") && !u.timed {
			u.timed = true
			u.times++
		}
		name := derived(v, shape+place, u.times, clock{time.Now(), u.begins})
		u.names[v], u.back[name] = name, v
		if was := u.first[shape][place]; was != "" && u.names[was] == "" {
			u.names[was] = name
		}
		return name
	})
}

// receives gives answers the application's own values.
func (u *setup) receives(a *answers) {
	u.mu.Lock()
	defer u.mu.Unlock()
	a.given(u.names, u.back)
	a.replace(u.back)
}

// given notes the values that the database itself has made, such as numbers of sequences: they stay what they are.
func (a *answers) given(names, back map[string]string) {
	note := func(v string) {
		if _, ours := back[v]; !ours && names[v] == "" {
			names[v] = v
		}
	}
	for _, m := range a.messages {
		var d pgproto3.DataRow
		if m[0] != 'D' || !m.decode(&d) {
			continue
		}
		for _, v := range d.Values {
			switch {
			case len(v) == 4 && !utf8.Valid(v):
				note(fmt.Sprint(int32(binary.BigEndian.Uint32(v))))
			case len(v) == 8 && !utf8.Valid(v):
				note(fmt.Sprint(int64(binary.BigEndian.Uint64(v))))
			case binaryUUID(v) != "":
				note(binaryUUID(v))
			case volatile.Match(v):
				replaced(string(v), func(t string) string { note(t); return t })
			}
		}
	}
}

// replace puts own values in the place of others.
func (a *answers) replace(back map[string]string) {
	if len(back) == 0 {
		return
	}
	for i, m := range a.messages {
		switch m[0] {
		case 'D':
			var d pgproto3.DataRow
			if m.decode(&d) {
				for i, v := range d.Values {
					d.Values[i] = ownOf(v, back)
				}
				a.messages[i] = encode(&d)
			}
		case 'E':
			var e pgproto3.ErrorResponse
			if m.decode(&e) {
				e.Message, e.Detail = string(ownOf([]byte(e.Message), back)), string(ownOf([]byte(e.Detail), back))
				a.messages[i] = encode(&e)
			}
		}
	}
}

// ownOf is a value with own values in the place of others.
func ownOf(v []byte, back map[string]string) []byte {
	if own, ok := back[binaryUUID(v)]; ok && len(v) == 16 {
		return bytesOf(own)
	}
	if v == nil || !volatile.Match(v) {
		return v
	}
	return []byte(replaced(string(v), func(t string) string {
		if own, ok := back[t]; ok {
			return own
		}
		return t
	}))
}
