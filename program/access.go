package program

import (
	"slices"
	"sync"

	"github.com/txmc/txmc/program/access"
	"github.com/txmc/txmc/program/behaviour"
)

// A Backend in database mode is the executor of a database: it evaluates statements
// and asks a model of the database's concurrency control for what storage does.

// HasModel declares that the Backend's database, by its name, has a model. So the
// program can be explored in database mode.
func (p *Program) HasModel(database string) {
	p.declaring("HasModel")
	p.client.model.Store(&database)
}

// Model is the name of the database of the program's Backend, if it has a model: see
// Program.HasModel. Without one it is "".
func (c *Client) Model() string {
	if name := c.model.Load(); name != nil {
		return *name
	}
	return ""
}

// UseStorage declares the storage of the database whose executor the program's Backend
// is. Call it before UseBackend.
func (p *Program) UseStorage(d *access.Database) {
	p.declaring("UseStorage")
	p.client.storage.Store(d)
}

// Storage is the database that the program's Backend is the executor of, before any
// session; nil when there is none.
func (c *Client) Storage() *access.Database { return c.storage.Load() }

// Modelled reports whether Backends ask a model of their storage.
func (p *Program) Modelled() bool { return p.client.opts.Database }

// Level is the level of transactions that ask for none, by the name that the levels
// of the database have; "" outside database mode.
func (p *Program) Level() string { return p.client.opts.Level }

// Version is the version of the database that a program has which chooses none; 0: the newest.
func (p *Program) Version() int { return p.client.opts.Version }

// Ask asks the model of the database's storage. joins says that the request is part
// of the step of what was asked before: no other session comes between.
func (b *Backend) Ask(q *access.Request, joins bool) (a access.Answer, err error) {
	err = b.operation(func(r *run) (err error) {
		id := r.ask(&behaviour.Node{Kind: behaviour.Serve, Operation: behaviour.Operation{Request: q}, Loc: b.at, Txn: int32(b.tx.index), OnDatabase: behaviour.OnDatabase{Joins: joins}})
		a, err = access.Decode(r.client.values.Get(id).(string))
		return err
	})
	return a, err
}

// Joins says that the end of the transaction that comes next is part of the step of
// what was asked before.
func (b *Backend) Joins(joins bool) { b.run.joins = joins }

// Answered notes what the database has answered to the client, and in words if it is
// the answer to a statement: see AnswerEvent.
func (b *Backend) Answered(answer []byte, words string) {
	r := b.run
	r.past = r.client.pasts.after(r.past, answer)
	if words != "" && !r.dead.Load() {
		r.events = append(r.events, behaviour.Event{Kind: behaviour.AnswerEvent, Loc: b.at, Text: words})
	}
}

// Showed notes what the client has seen of an answer, whichever version of a database
// gave it, where Options.Shown asks for that. What it has seen is the value of a
// ShownEvent.
func (b *Backend) Showed(seen string) {
	r := b.run
	if !r.client.opts.Shown || seen == "" || r.dead.Load() {
		return
	}
	if id, err := r.client.values.Intern(seen); err == nil {
		r.events = append(r.events, behaviour.Event{Kind: behaviour.ShownEvent, Loc: b.at, Val: id})
	}
}

// Encoded is the answer that stands for the answer to a Request.
func (c *Client) Encoded(a *access.Answer) behaviour.ValueID {
	id, err := c.values.Answer(a.Encode())
	if err != nil {
		panic(err) // a string is always a value
	}
	return id
}

// Asked is the answer to a Request that an answer stands for.
func (c *Client) Asked(answer behaviour.ValueID) (a access.Answer) {
	if s, ok := c.values.Get(answer).(string); ok {
		a, _ = access.Decode(s)
	}
	return a
}

// pasts are sequences of answers, each by a number.
type pasts struct {
	mu      sync.Mutex
	numbers map[past]int32
	list    []longer // by number, from 1
}

type past struct {
	before int32
	answer string
}

// longer is a sequence of so many answers, by the one that it is longer than. Its last
// answer has the hash.
type longer struct {
	before, length int32
	last           behaviour.Hash
}

func (p *pasts) after(before int32, answer []byte) int32 {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.numbers == nil {
		p.numbers = map[past]int32{}
	}
	key := past{before, string(answer)}
	n, ok := p.numbers[key]
	if !ok {
		n = int32(len(p.numbers) + 1)
		p.numbers[key] = n
		length := int32(1)
		if before > 0 {
			length += p.list[before-1].length
		}
		p.list = append(p.list, longer{before, length, behaviour.HashOf(answer)})
	}
	return n
}

// PastAt stands for the first answers, so many, of all that a database has answered to a
// client: see Node.Past. It is 0 when there are fewer.
func (c *Client) PastAt(past int32, answers int) int32 {
	p := &c.pasts
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; past > 0; past = p.list[past-1].before {
		if length := int(p.list[past-1].length); length <= answers {
			if length < answers {
				return 0
			}
			return past
		}
	}
	return 0
}

// sums are the hashes of a sequence's answers.
func (p *pasts) sums(past int32) (list []behaviour.Hash) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for ; past > 0; past = p.list[past-1].before {
		list = append(list, p.list[past-1].last)
	}
	slices.Reverse(list)
	return list
}
