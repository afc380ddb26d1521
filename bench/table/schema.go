package table

// Schema says how a table is filled before any session runs.
type Schema struct {
	Table Table
	File  string // of the initial rows, without ".in"; "" for a table that starts empty
	Key   []int  // the columns that form the id
	// IDsOnly marks a table that is a set of ids: its rows have no variables.
	IDsOnly bool
}

// Load writes the initial rows of the tables.
func Load(tx Tx, schema []Schema, rows map[string][]Row) {
	for _, s := range schema {
		ids := []string{}
		for _, row := range rows[s.File] {
			id := row.ID(s.Key...)
			ids = append(ids, id)
			if !s.IDsOnly {
				tx.Write(s.Table.row(id), row)
			}
		}
		tx.Write(string(s.Table), ids)
	}
}
