package pg

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/model"
	"github.com/txmc/txmc/program/access"
)

// Backends whose storage is a model of PostgreSQL's concurrency control, which they share.

// Turns is the log of such a backend: its side of the model. Where several backends can go
// on, the model says whose turn it is.
type Turns interface {
	access.Log
	// Works tells that the backend begins to answer messages of its client, and that it
	// has answered them.
	Works(yes bool)
}

// NewModel is NewImage for backends on a model of PostgreSQL.
func NewModel(opts ...Option) (*Image, error) {
	return NewImage(append(opts, func(c *config) { c.modelled = true })...)
}

// Storage is the database of an image of NewModel, before all transactions.
func (i *Image) Storage() *access.Database { return i.base.Load().model.storage }

// Catalog is what backends of NewModel know of tables and contents.
func (i *Image) Catalog() *model.Catalog { return i.base.Load().model.catalog }

// Modelled starts a backend on a model: see Backend.
func (i *Image) Modelled(owner string, seed uint64, log Turns) (*Backend, error) {
	if i.base.Load().model == nil {
		return nil, fmt.Errorf("the image has no model: make it by NewModel")
	}
	return i.backend(owner, seed, log, func(string) backing {
		m := i.base.Load().model
		return &modelHooks{Session: m.catalog.NewSession(m.heap, log)}
	}), nil
}

// modelHooks are the storage of a backend on a model.
type modelHooks struct {
	*model.Session
	sleeping
	numbered bool
}

// Next notes that the client may ask which number it was.
func (h *modelHooks) Next(c *engine.Call, sequence engine.OID) (set *engine.Setting, skip int) {
	h.numbered = true
	return h.Session.Next(c, sequence)
}

func (h *modelHooks) tookNumber() (is bool) {
	is, h.numbered = h.numbered, false
	return is
}

func (h *modelHooks) statement() { h.Session.Statement() }
