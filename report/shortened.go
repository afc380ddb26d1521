package report

import "fmt"

// A transaction may have hundreds of operations, as one that loads a table. Then the text
// report shows the first of them, and those that the explanation is about. It counts the
// others: the JSON and the page have them.

const (
	// manyOperations of one transaction, one after the other, are shown; of more than that
	// fewOperations are.
	manyOperations, fewOperations = 100, 40
)

// shortened leaves out rows of long transactions.
func (v *Violation) shortened(rows []row) []row {
	matter, keys := v.matters(), v.keysRead()
	var out []row
	for i := 0; i < len(rows); {
		n := i
		for n < len(rows) && rows[n].event > 0 && rows[n].txn == rows[i].txn {
			n++
		}
		if n == i { // no operation
			n++
		}
		if n-i <= manyOperations {
			out = append(out, rows[i:n]...)
			i = n
			continue
		}
		left := 0
		for k, r := range rows[i:n] {
			if k < fewOperations || r.nonSerial || r.misses != "" || matter[keys[r.position]] {
				out = append(out, r)
				continue
			}
			left++
		}
		last := rows[n-1]
		out = append(out, row{session: last.session, name: last.name, op: fmt.Sprintf("… and %d more operations", left), position: last.position})
		i = n
	}
	return out
}

// keysRead are the variables of the operations.
func (v *Violation) keysRead() map[position]string {
	keys := map[position]string{}
	byID := map[string]*Transaction{}
	for i := range v.History.Transactions {
		byID[v.History.Transactions[i].ID] = &v.History.Transactions[i]
	}
	for i, s := range v.steps() {
		if t := byID[s.Transaction]; t != nil && s.Event > 0 && s.Event <= len(t.Events) {
			keys[position{t.ID, i + 1, s.Event}] = t.Events[s.Event-1].Key
		}
	}
	return keys
}
