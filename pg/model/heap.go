package model

import (
	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/program/access"
)

// Heap reads the rows that an instance has, in physical order, and gives them to the
// model.
func (cat *Catalog) Heap(c *engine.Call) (*Heap, []access.Initial, error) {
	h := &Heap{spots: map[int32][]engine.TID{}}
	var rows []access.Initial
	for _, t := range cat.order {
		err := c.EachRow(t.OID, func(v engine.Version, row engine.Row) error {
			m, err := cat.intern(c, t, row, nil)
			if err != nil {
				return err
			}
			h.spots[m.Value] = append(h.spots[m.Value], v.TID)
			rows = append(rows, access.Initial{Table: t.number, Row: m})
			return nil
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return h, rows, nil
}
