package engine

import "slices"

// What the parser does not know of ALTER TABLE, CREATE INDEX and DROP INDEX: foreign keys beside columns that are
// added, and how a server is to change the table while others use it, on which nothing here depends (MySQL
// 8.0 Reference Manual, 15.1.9 and 15.1.15).

// altered is ALTER TABLE.
func (r *respeller) altered() {
	from := 3 // behind the table's name
	if r.kind(3) == '.' {
		from = 5
	}
	for from < len(r.tokens) {
		end := r.endOfItem(from)
		r.referenced(from, end)
		from = end + 1
	}
	r.online()
}

// referenced is ADD COLUMN with a foreign key, as an item that ends before a token.
func (r *respeller) referenced(from, end int) {
	column := from + 1
	if r.is(column, "column") {
		column++
	}
	if !r.is(from, "add") || r.isConstraint(column) {
		return
	}
	for end > from && r.kind(end-1) == ';' {
		end--
	}
	for i := column + 1; i < end; i++ {
		if r.is(i, "references") && r.tokens[i].depth == 0 {
			at := r.tokens[end-1].to
			r.edits = append(r.edits, edit{r.tokens[i].from, at, ", ADD FOREIGN KEY (`" + r.tokens[column].word + "`) " + r.text[r.tokens[i].from:at]})
			return
		}
	}
}

// manners are the values of ALGORITHM and LOCK.
var manners = []string{"none", "shared", "exclusive", "inplace", "copy", "nocopy", "instant", "default"}

// online are ALGORITHM and LOCK, with the comma before them.
func (r *respeller) online() {
	for i := range r.tokens {
		if !r.is(i, "algorithm") && !r.is(i, "lock") || r.tokens[i].depth > 0 {
			continue
		}
		last := i + 1
		if r.kind(last) == '=' {
			last++
		}
		if !slices.ContainsFunc(manners, func(word string) bool { return r.is(last, word) }) {
			continue
		}
		from, to := r.tokens[i].from, r.tokens[last].to
		switch {
		case r.kind(i-1) == ',':
			from = r.tokens[i-1].from
		case r.kind(last+1) == ',':
			to = r.tokens[last+1].to
		}
		r.edits = append(r.edits, edit{from, to, ""})
	}
}
