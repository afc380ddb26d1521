package table

import "github.com/txmc/txmc"

// Added lists the ids that committed transactions of that name have put on the table,
// in the order of sessions. Each time the list was written, this is its last id.
func (t Table) Added(o *txmc.Outcome, txn string) []string {
	var ids []string
	for _, s := range o.Sessions {
		for _, x := range s.Txn(txn) {
			for _, w := range x.Writes {
				if list, ok := w.Value.([]string); ok && x.Committed && w.Key == string(t) && len(list) > 0 {
					ids = append(ids, list[len(list)-1])
				}
			}
		}
	}
	return ids
}

// Final returns the ids that the Final of that position read from the table.
func (t Table) Final(o *txmc.Outcome, i int) []string {
	for _, r := range o.Finals[i].Reads {
		if list, ok := r.Value.([]string); ok && r.Key == string(t) {
			return list
		}
	}
	return nil
}
