package application

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5/pgproto3"
)

// Prepared statements outlast runs, and connections of the application share one of a run's. So a statement goes by
// a name that tells its text, and is prepared where the run's connection does not have it.

// named is such a name.
func named(p pgproto3.Parse) string {
	sum := sha256.Sum256(fmt.Append(nil, p.ParameterOIDs, p.Query))
	return "txmc_" + hex.EncodeToString(sum[:8])
}

// added tells messages of this package's own among those of a kind that are sent: their answers are for nobody.
type added struct{ parses, closes []bool }

// prepare is a batch with the names that statements have on the connection.
func (c *inner) prepare(s *socket, b batch) (batch, *added) {
	own := &added{}
	var out []message
	parse := func(p pgproto3.Parse, ours bool) {
		if c.prepared[p.Name] { // to prepare it again would be an error
			out = append(out, encode(&pgproto3.Close{ObjectType: 'S', Name: p.Name}))
			own.closes = append(own.closes, true)
		}
		c.prepared[p.Name] = p.Name != ""
		out = append(out, encode(&p))
		own.parses = append(own.parses, ours)
	}
	need := func(name string) string {
		var p pgproto3.Parse
		if m := s.statements[name]; name == "" || m == nil || !m.decode(&p) {
			return name
		}
		if p.Name = named(p); !c.prepared[p.Name] {
			parse(p, true)
		}
		return p.Name
	}
	for _, m := range b.messages {
		switch m[0] {
		case 'P':
			var p pgproto3.Parse
			if m.decode(&p) {
				if p.Name != "" {
					s.statements[p.Name] = m
					p.Name = named(p)
				}
				parse(p, false)
				continue
			}
		case 'B':
			var d pgproto3.Bind
			if m.decode(&d) {
				d.PreparedStatement = need(d.PreparedStatement)
				m = encode(&d)
			}
		case 'D':
			var d pgproto3.Describe
			if m.decode(&d) && d.ObjectType == 'S' {
				d.Name = need(d.Name)
				m = encode(&d)
			}
		case 'C':
			own.closes = append(own.closes, false)
			m = c.forget(s, m)
		}
		out = append(out, m)
	}
	all := b
	all.messages = out
	all.answers += len(own.parses) + len(own.closes) - count(b, 'P') - count(b, 'C')
	return all, own
}

// forget is a Close with the name that a statement has on the connection, which loses it.
func (c *inner) forget(s *socket, m message) message {
	var d pgproto3.Close
	var p pgproto3.Parse
	if !m.decode(&d) || d.ObjectType != 'S' || s.statements[d.Name] == nil || !s.statements[d.Name].decode(&p) {
		return m
	}
	d.Name = named(p)
	delete(c.prepared, d.Name)
	return encode(&d)
}

// deallocation matches the statement that forgets a prepared one.
var deallocation = regexp.MustCompile(`(?i)^DEALLOCATE\s+(?:PREPARE\s+)?("(?:[^"]|"")+"|\w+)$`)

// deallocates forgets the prepared statement that a statement names, and reports whether there was one. The run's connection keeps it
// under its own name, and others may have it prepared too.
func (s *socket) deallocates(sql string) bool {
	f := deallocation.FindStringSubmatch(sql)
	if f == nil {
		return false
	}
	name := strings.ToLower(f[1])
	if f[1][0] == '"' {
		name = strings.ReplaceAll(f[1][1:len(f[1])-1], `""`, `"`)
	}
	if s.statements[name] == nil {
		return false
	}
	delete(s.statements, name)
	return true
}

func count(b batch, kind byte) (n int) {
	for _, m := range b.messages {
		if m[0] == kind {
			n++
		}
	}
	return n
}

// omit leaves out the answers that are for nobody.
func (own *added) omit(a *answers) {
	parses, closes := own.parses, own.closes
	a.messages = slices.DeleteFunc(a.messages, func(m message) (ours bool) {
		switch {
		case m[0] == '1' && len(parses) > 0:
			ours, parses = parses[0], parses[1:]
		case m[0] == '3' && len(closes) > 0:
			ours, closes = closes[0], closes[1:]
		}
		return ours
	})
}
