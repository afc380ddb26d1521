package application

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgproto3"
)

// memory is what sessions were seen to send after the same answers. What a run sends where an earlier run has sent the
// same but for fresh values is what the earlier run has sent: the values are the earlier run's from there on, and
// the application gets its own ones in answers. So a session's database sees one behaviour.
type memory struct {
	mu    sync.Mutex
	roots map[string]*node
	fresh map[string][]bool // of a skeleton's values, those that were seen to differ

	begins time.Time // the database's clock
}

// node is where a session is after certain answers.
type node struct {
	id       string
	sent     []message // the batch that follows; nil: none is known
	response *string   // that follows; nil: none is known
	settled  bool      // nothing follows the response
	next     map[string]*node
}

func newNode(id string) *node { return &node{id: id, next: map[string]*node{}} }

// path is where one run is.
type path struct {
	of *memory
	at *node

	session string

	names map[string]string // the run's values; the earlier ones
	back  map[string]string
	times int            // statements with derived ones so far
	timed bool           // the present one is among them: its times may be one reading of the clock, or several
	place string         // the request
	seen  map[string]int // shapes that were sent, and how often
}

// begin begins a run of a session, with the values of the application's start.
func (m *memory) begin(session string, names, back map[string]string) *path {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.roots == nil {
		m.roots, m.fresh = map[string]*node{}, map[string][]bool{}
	}
	if m.roots[session] == nil {
		m.roots[session] = newNode(session)
	}
	return &path{of: m, at: m.roots[session], names: names, back: back, seen: map[string]int{}, session: session}
}

// forget forgets what was seen, but not which values are fresh.
func (m *memory) forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.roots = map[string]*node{}
}

// goes goes on after something that the session has seen. The memory is locked.
func (p *path) goes(what []byte) {
	sum := sha256.Sum256(append([]byte(p.at.id), what...))
	key := hex.EncodeToString(sum[:12])
	if p.at.next[key] == nil {
		p.at.next[key] = newNode(key)
	}
	p.at = p.at.next[key]
}

// step begins another request.
func (p *path) step(text string) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.place = word(text)
	p.goes([]byte(text))
}

// word stands for a text, as one that has no volatile values.
func word(text string) string {
	sum := sha256.Sum256([]byte(text))
	return letters("abcdefghijklmnop", "sixteen letters.", sum[:])
}

// as is what an earlier run has in the place of a text, where it is that but for fresh values. Those of a text that
// no run has had get values of their own, where they are known to be fresh. They depend on the session, the request and the
// statement, and not on the answers before: as outcomes of different runs are compared. The memory is locked.
func (p *path) as(was *string, text string, sql bool) string {
	shape, own := skeleton(text, sql)
	if len(own) == 0 {
		return text
	}
	fresh := p.of.fresh[shape]
	var names []string
	if was != nil {
		var old string
		if old, names = skeleton(*was, sql); old != shape || len(names) != len(own) {
			names = nil
		}
	}
	p.seen[shape]++
	where := fmt.Sprint(p.session, p.place, shape, p.seen[shape])
	i := -1
	return inValues(text, sql, func(v string) string {
		i++
		if names != nil && names[i] != v {
			p.of.differs(shape, i, len(own))
		}
		known, ok := p.names[v]
		switch {
		case ok:
			return known
		case names != nil && names[i] != v:
			return p.name(v, names[i])
		case names == nil && (i < len(fresh) && fresh[i] || present(v, time.Now())):
			if strings.Contains(v, ":") && !p.timed {
				p.timed = true
				p.times++
			}
			return p.name(v, derived(v, fmt.Sprint(where, i), p.times, clock{time.Now(), p.of.begins}))
		}
		return p.name(v, v) // and so in what follows
	})
}

// name makes an earlier value the name of the run's own.
func (p *path) name(own, earlier string) string {
	p.names[own], p.back[earlier] = earlier, own
	return earlier
}

// differs notes that a value of a skeleton is fresh.
func (m *memory) differs(shape string, i, of int) {
	if len(m.fresh[shape]) != of {
		m.fresh[shape] = make([]bool, of)
	}
	m.fresh[shape][i] = true
}

// sends is a batch in the names of earlier runs.
func (p *path) sends(b batch) batch {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	out := b
	out.messages, p.timed = nil, false
	earlier := &node{}
	if texts(p.at.sent) == texts(b.messages) {
		earlier = p.at
	}
	statement, numbers := "", map[byte]int{}
	for _, m := range b.messages {
		i := numbers[m[0]]
		numbers[m[0]]++
		was := earlier.earlier(m[0], i)
		var q pgproto3.Parse
		if m[0] == 'P' && m.decode(&q) {
			shape, _ := skeleton(q.Query, true)
			statement = word(shape)
		}
		out.messages = append(out.messages, p.message(was, m, statement, fmt.Sprint(i)))
	}
	if p.at.sent == nil {
		p.at.sent = out.messages
	}
	return out
}

// texts are the statements of messages, without their values. Parameters of others have other meanings.
func texts(messages []message) string {
	var all strings.Builder
	for _, m := range messages {
		var q pgproto3.Query
		var p pgproto3.Parse
		text := ""
		switch {
		case m[0] == 'Q' && m.decode(&q):
			text = q.String
		case m[0] == 'P' && m.decode(&p):
			text = p.Query
		default:
			continue
		}
		shape, _ := skeleton(text, true)
		all.WriteString(shape + "\x00")
	}
	return all.String()
}

// earlier is message i of a kind in the batch that an earlier run has sent, nil where there is none.
func (n *node) earlier(kind byte, i int) message {
	for _, m := range n.sent {
		if m[0] != kind {
			continue
		}
		if i == 0 {
			return m
		}
		i--
	}
	return nil
}

// message is a message in these names. Statements have their values in literals, or in parameters.
func (p *path) message(was, m message, statement, where string) message {
	switch m[0] {
	case 'Q':
		var q, old pgproto3.Query
		if !m.decode(&q) {
			return m
		}
		var earlier *string
		if was != nil && was.decode(&old) {
			earlier = &old.String
		}
		q.String = p.as(earlier, q.String, true)
		return encode(&q)
	case 'P':
		var q, old pgproto3.Parse
		if !m.decode(&q) {
			return m
		}
		var earlier *string
		if was != nil && was.decode(&old) {
			earlier = &old.Query
		}
		q.Query = p.as(earlier, q.Query, true)
		return encode(&q)
	case 'B':
		var d, old pgproto3.Bind
		if !m.decode(&d) {
			return m
		}
		if was == nil || !was.decode(&old) || len(old.Parameters) != len(d.Parameters) {
			old.Parameters = nil
		}
		for i, v := range d.Parameters {
			var earlier []byte
			if old.Parameters != nil {
				earlier = old.Parameters[i]
			}
			if v != nil {
				d.Parameters[i] = p.value(earlier, v, statement, fmt.Sprint(where, ".", i))
			}
		}
		return encode(&d)
	}
	return m
}

// value is as for a parameter of a statement, which may be a UUID in its binary form.
func (p *path) value(was, v []byte, statement, where string) []byte {
	mark := statement + where[strings.IndexByte(where, '.'):] + "\x02"
	text := func(v []byte) string {
		if u := binaryUUID(v); u != "" {
			return mark + u
		}
		return mark + string(v)
	}
	var earlier *string
	if was != nil {
		s := text(was)
		earlier = &s
	}
	out := strings.TrimPrefix(p.as(earlier, text(v), false), mark)
	if binaryUUID(v) != "" {
		return bytesOf(out)
	}
	return []byte(out)
}

// receives goes on after answers, and gives them the run's own values.
func (p *path) receives(a *answers) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.goes(a.told())
	a.given(p.names, p.back)
	a.replace(p.back)
}

// told are the answers that tell something: rows, tags and errors. Whether a driver asks for descriptions depends on what it has seen
// before.
func (a *answers) told() (all []byte) {
	for _, m := range a.messages {
		switch m[0] {
		case '1', '2', '3', 't', 'T', 'n', 'Z', 'N', 'S':
		default:
			all = append(all, m...)
		}
	}
	return all
}

// ends is a response in the names of earlier runs.
func (p *path) ends(response string) string {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	mark := p.place + "\x02"
	p.timed = false
	response = mark + response
	response = p.as(p.at.response, response, false)
	if p.at.response == nil {
		p.at.response = &response
	}
	return strings.TrimPrefix(response, mark)
}

// follows says what follows a response: a statement, if an earlier run has sent one; nothing, if one has ended here; nobody knows.
func (p *path) follows() (more, known bool) {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	return p.at.sent != nil, p.at.settled
}

// settled notes that nothing follows.
func (p *path) settled() {
	p.of.mu.Lock()
	defer p.of.mu.Unlock()
	p.at.settled = true
}
