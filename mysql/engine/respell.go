package engine

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// What the parser does not know, in words that it knows. The tokens of a statement are those
// of the parser's own scanner. A comment keeps how a thing was written:
//
//	@x := e            assigned('x',/*:@x :=*/ e/*:*/)
//	a > ALL (SELECT …) a > each_of_all(/*:ALL */(SELECT …)/*:*/)
//	GROUP BY a WITH ROLLUP      GROUP BY a , with_rollup()
//	p INT REFERENCES t (id) ON DELETE CASCADE
//	                   p INT , FOREIGN KEY (p) REFERENCES t (id) ON DELETE CASCADE
//	ALGORITHM = INPLACE, LOCK = NONE of changes of a table are left out

// The functions that stand for them.
const (
	assignedName = "assigned"
	eachName     = "each_of_"
	rollupName   = "with_rollup"
)

// opened and closed find what respell has put around a thing.
var (
	opened = regexp.MustCompile(`\w+\((?:'\w+',)?/\*:([^*]+)\*/`)
	closed = "/*:*/)"
)

// original is a respelled text, or a part of it, as it was written.
func original(text string) string {
	text = strings.ReplaceAll(text, minus, "")
	return strings.ReplaceAll(opened.ReplaceAllString(quotedName.ReplaceAllString(text, "$1"), "$1"), closed, "")
}

// respelled finds texts in which there may be something to respell.
var respelled = regexp.MustCompile(`(?i):=|\b(?:any|some|all)\s*\(|\bwith\s+rollup\b|\breferences\b|\b(?:algorithm|lock)\s*=?\s*(?:none|shared|exclusive|inplace|copy|nocopy|instant|default)\b`)

// respell spells what the parser does not know.
func respell(text string) string {
	if !respelled.MatchString(text) {
		return text
	}
	r := &respeller{text: text, tokens: tokensOf(text)}
	switch {
	case r.is(0, "create") && (r.is(1, "table") || r.is(2, "table")):
		r.references()
	case r.is(0, "alter") && r.is(1, "table"):
		r.altered()
	case r.is(1, "index") || r.is(2, "index"):
		r.online()
	case r.is(0, "set"): // whose := the parser knows
		r.quantified()
	default:
		r.assignments()
		r.quantified()
		r.rollups()
	}
	return r.edited()
}

// token is one of a text.
type token struct {
	kind     int
	word     string // in lower case; of a quoted name, without its quotation marks
	from, to int    // from is right for what is not quoted
	depth    int    // how many parentheses are open; those of a pair lie outside it
}

// tokensOf are the tokens of a text, without comments. The scanner is a character ahead, and behind
// FOR a word.
func tokensOf(text string) (list []token) {
	scanner := sqlparser.NewStringTokenizer(text)
	depth := 0
	for {
		kind, val := scanner.Scan()
		to := min(scanner.Position-1, len(text))
		switch kind {
		case 0, sqlparser.LEX_ERROR:
			return list
		case sqlparser.COMMENT:
			continue
		case ')':
			depth--
		}
		t := token{kind: kind, word: strings.ToLower(string(val)), from: max(0, to-max(1, len(val))), to: to, depth: depth}
		if kind == '(' {
			depth++
		}
		if kind == sqlparser.FOR {
			behind := 0
			if len(list) > 0 {
				behind = list[len(list)-1].to
			}
			if all := wordFor.FindAllStringIndex(text[behind:to], -1); len(all) > 0 { // others are in comments
				last := all[len(all)-1]
				t.from, t.to = behind+last[0], behind+last[1]
			}
		}
		list = append(list, t)
	}
}

var wordFor = regexp.MustCompile(`(?i)\bfor\b`)

// respeller collects the changes of one text.
type respeller struct {
	text   string
	tokens []token
	edits  []edit
}

// edit puts a text in the place of what stands from one position to another.
type edit struct {
	from, to int
	text     string
}

// edited is the text with the changes.
func (r *respeller) edited() string {
	slices.SortStableFunc(r.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var b strings.Builder
	at := 0
	for _, e := range r.edits {
		b.WriteString(r.text[at:e.from] + e.text)
		at = e.to
	}
	return b.String() + r.text[at:]
}

// is reports whether a token is a word that is not quoted.
func (r *respeller) is(i int, word string) bool {
	return i >= 0 && i < len(r.tokens) && r.tokens[i].word == word && strings.EqualFold(r.text[r.tokens[i].from:r.tokens[i].to], word)
}

// kind is that of a token; 0 before the first and behind the last.
func (r *respeller) kind(i int) int {
	if i < 0 || i >= len(r.tokens) {
		return 0
	}
	return r.tokens[i].kind
}

// closing is the token that closes the parenthesis that a token opens.
func (r *respeller) closing(i int) int {
	for j := i + 1; j < len(r.tokens); j++ {
		if r.tokens[j].kind == ')' && r.tokens[j].depth == r.tokens[i].depth {
			return j
		}
	}
	return len(r.tokens)
}

// assignments are those to user variables in expressions.
func (r *respeller) assignments() {
	for i, t := range r.tokens {
		if t.kind != sqlparser.ASSIGNMENT_OP || i == 0 {
			continue
		}
		to := r.tokens[i-1]
		name := strings.TrimPrefix(to.word, "@")
		last := r.lastOf(i + 1)
		if name == to.word || !variableName.MatchString(name) || last <= i {
			continue
		}
		r.edits = append(r.edits,
			edit{to.from, t.to, assignedName + "('" + name + "',/*:" + r.text[to.from:t.to] + "*/"},
			edit{r.tokens[last].to, r.tokens[last].to, closed})
	}
}

var variableName = regexp.MustCompile(`^\w+$`)

// behind are words that follow an expression and are no part of it.
var behind = []string{"from", "as", "where", "group", "having", "order", "limit", "union", "into", "for", "lock", "when", "then", "else", "asc", "desc", "on"}

// lastOf is the last token of the expression that begins with a token. The expression
// may be an assignment: this binds less than every operator (MySQL 8.0 Reference
// Manual, 14.4.1).
func (r *respeller) lastOf(first int) int {
	cases := 0
	for i := first; i < len(r.tokens); i++ {
		t := r.tokens[i]
		if t.depth > r.tokens[first].depth {
			continue
		}
		switch {
		case t.kind == ')' && t.depth == r.tokens[first].depth && r.opens(first, i):
			continue
		case t.kind == ')', t.kind == ';':
			return i - 1
		case r.is(i, "case"):
			cases++
		case r.is(i, "end") && cases > 0:
			cases--
		case cases == 0 && (t.kind == ',' || r.is(i, "end") || slices.Contains(behind, t.word) && r.is(i, t.word)):
			return i - 1
		}
	}
	return len(r.tokens) - 1
}

// opens reports whether the parenthesis that a token closes is opened at or behind another.
func (r *respeller) opens(first, closing int) bool {
	for i := first; i < closing; i++ {
		if r.tokens[i].kind == '(' && r.closing(i) == closing {
			return true
		}
	}
	return false
}

// quantified are comparisons with each row of a subquery.
func (r *respeller) quantified() {
	for i := 1; i < len(r.tokens); i++ {
		switch r.kind(i - 1) {
		case '=', '<', '>', sqlparser.LE, sqlparser.GE, sqlparser.NE:
		default:
			continue
		}
		of := "any"
		switch {
		case r.is(i, "all"):
			of = "all"
		case !r.is(i, "any") && !r.is(i, "some"):
			continue
		}
		last := r.closing(i + 1)
		if r.kind(i+1) != '(' || last == len(r.tokens) || !r.is(i+2, "select") && !r.is(i+2, "with") {
			continue
		}
		t := r.tokens[i]
		r.edits = append(r.edits,
			edit{t.from, t.to, eachName + of + "(/*:" + r.text[t.from:t.to] + " */"},
			edit{r.tokens[last].to, r.tokens[last].to, closed})
	}
}

// rollups are WITH ROLLUP behind GROUP BY.
func (r *respeller) rollups() {
	for i := range r.tokens {
		if r.is(i, "with") && r.is(i+1, "rollup") {
			r.edits = append(r.edits, edit{r.tokens[i].from, r.tokens[i+1].to, ", " + rollupName + "()"})
		}
	}
}

// references are foreign keys beside columns. The parser knows them, but not what follows
// them: ON DELETE and ON UPDATE.
func (r *respeller) references() {
	column := -1
	for i, t := range r.tokens {
		switch {
		case t.depth == 1 && (r.kind(i-1) == ',' || r.kind(i-1) == '('):
			column = i
		case r.is(i, "references") && t.depth == 1 && column >= 0 && !r.isConstraint(column):
			if end := r.endOfItem(i); r.acts(i, end) {
				at := r.tokens[end-1].to
				r.edits = append(r.edits, edit{t.from, at, ", FOREIGN KEY (`" + r.tokens[column].word + "`) " + r.text[t.from:at]})
			}
		}
	}
}

// endOfItem is the token behind the item of a list that has a token.
func (r *respeller) endOfItem(i int) int {
	depth := r.tokens[i].depth
	for ; i < len(r.tokens); i++ {
		if t := r.tokens[i]; t.depth < depth || t.depth == depth && t.kind == ',' {
			break
		}
	}
	return i
}

// acts reports whether there is an action in what begins with a token and ends before another.
func (r *respeller) acts(from, to int) bool {
	for i := from; i < to; i++ {
		if r.is(i, "on") && (r.is(i+1, "delete") || r.is(i+1, "update")) {
			return true
		}
	}
	return false
}

// isConstraint reports whether an item of CREATE TABLE that begins with a token is no column.
func (r *respeller) isConstraint(i int) bool {
	for _, word := range []string{"constraint", "foreign", "primary", "unique", "key", "index", "check"} {
		if r.is(i, word) {
			return true
		}
	}
	return false
}
