package pg

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/txmc/txmc/pg/engine"
	"github.com/txmc/txmc/pg/model"
	"github.com/txmc/txmc/pg/wire"
	"github.com/txmc/txmc/program/access"
)

// modelled is a database whose storage is a model of PostgreSQL's concurrency control:
// package model stands between the executor and it.
type modelled struct {
	catalog *model.Catalog
	heap    *model.Heap
	storage *access.Database
	level   string // of transactions that ask for none, by PostgreSQL's name; "" is READ COMMITTED
}

// newModelled reads the tables of an instance that has run schema and seed.
func newModelled(x *engine.Instance, level string) (*modelled, error) {
	m := &modelled{level: levels[level]}
	tables, err := x.Tables()
	if err != nil {
		return nil, err
	}
	indexes, sequences, err := described(x)
	if err != nil {
		return nil, err
	}
	var rows []access.Initial
	err = x.Do(func(c *engine.Call) (err error) {
		if m.catalog, err = model.NewCatalog(c, tables, sequences, indexes); err == nil {
			m.heap, rows, err = m.catalog.Heap(c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	m.storage = &access.Database{Tables: m.catalog.Tables(), Rows: rows, Sequences: len(sequences), Describe: m.catalog.Describe, Known: m.catalog.Known}
	return m, nil
}

// levels are PostgreSQL's names of the levels that are not its default.
var levels = map[string]string{"pg-rr": "repeatable read", "pg-ser": "serializable"}

// described asks for what a relation's description does not tell of its indexes, and
// for the sequences.
func described(x *engine.Instance) (list []model.Indexing, sequences []model.Sequence, err error) {
	ctx := context.Background()
	c, err := dial(ctx, wire.NewHub(x, unwatched{}))
	if err != nil {
		return nil, nil, err
	}
	defer c.Close(ctx)
	results, err := c.Exec(ctx, `SELECT i.indexrelid, am.amname, i.indisexclusion, i.indnullsnotdistinct, coalesce(string_agg(d.refobjsubid::text, ' '), '')
		FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class k ON k.oid = i.indexrelid JOIN pg_catalog.pg_am am ON am.oid = k.relam
		LEFT JOIN pg_catalog.pg_depend d ON d.classid = 1259 AND d.objid = i.indexrelid
			AND d.refclassid = 1259 AND d.refobjid = i.indrelid AND d.refobjsubid > 0
		WHERE i.indrelid >= 16384 GROUP BY 1, 2, 3, 4 ORDER BY 1;
		SELECT seqrelid, least(seqcache, 1000000) FROM pg_catalog.pg_sequence WHERE seqrelid >= 16384 ORDER BY 1`).ReadAll()
	if err != nil {
		return nil, nil, err
	}
	for _, row := range rowsOf(results[0]) {
		columns, err := numbers(strings.Fields(row[4]))
		if err != nil {
			return nil, nil, err
		}
		index, err := numbers(row[:1])
		if err != nil {
			return nil, nil, err
		}
		list = append(list, model.Indexing{Index: engine.OID(index[0]), Method: row[1], Exclusive: row[2] == "t", Nulls: row[3] == "t", Columns: columns})
	}
	for _, row := range rowsOf(results[1]) {
		oid, err := numbers(row)
		if err != nil {
			return nil, nil, err
		}
		sequences = append(sequences, model.Sequence{OID: engine.OID(oid[0]), Cache: int32(oid[1])})
	}
	return list, sequences, nil
}

func numbers(texts []string) (list []int, err error) {
	for _, text := range texts {
		n, err := strconv.Atoi(text)
		if err != nil {
			return nil, fmt.Errorf("the catalog has %q for a number: %w", text, err)
		}
		list = append(list, n)
	}
	return list, nil
}

func rowsOf(r *pgconn.Result) (list [][]string) {
	for _, row := range r.Rows {
		var texts []string
		for _, v := range row {
			texts = append(texts, string(v))
		}
		list = append(list, texts)
	}
	return list
}
