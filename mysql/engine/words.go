package engine

import (
	"context"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/vitess/go/vt/sqlparser"
)

// Some words the parser keeps for itself, and MariaDB or MySQL has them as names of tables and
// columns: plan, encrypted, rank. Where the parser stops at one, it is quoted:
//
//	SELECT plan FROM t         SELECT `plan`/*:w*/ FROM t

// names are those words. One with a parenthesis behind it is a function.
var names = strings.Fields(`copy cube cume_dist database dense_rank empty encrypted exclusive first_value function
	generated get group_concat grouping groups inplace lag last_value lateral lead now nth_value ntile option optimizer_costs
	percent_rank plan rank row schema shared std stddev stored substr substring system transactional variance vector virtual
	window yes backup_admin flush_status flush_tables role_admin`)

// nameUsed finds texts in which there may be one.
var nameUsed = regexp.MustCompile(`(?i)\b(?:` + strings.Join(names, "|") + `)\b`)

// quotedName is a word that was quoted here.
var quotedName = regexp.MustCompile("`(\\w+)`/\\*:w\\*/")

// quoteNames quotes words that a statement has as names, if the parser needs it. A statement that
// it does not know for another reason stays as it is.
func quoteNames(text string) string {
	if !nameUsed.MatchString(text) {
		return text
	}
	quoted := text
	for range strings.Count(text, " ") + 1 {
		_, _, err := sqlparser.ParseOne(context.Background(), quoted)
		if err == nil {
			return quoted
		}
		t := stopped(quoted, err)
		if t == nil {
			return text
		}
		quoted = quoted[:t.from] + "`" + quoted[t.from:t.to] + "`/*:w*/" + quoted[t.to:]
	}
	return text
}

// errorPosition is where the parser has stopped, as its error says: it is a character ahead.
var errorPosition = regexp.MustCompile(`at position (\d+)`)

// stopped is the name at which, or behind which, the parser has stopped with an error; nil for
// none. It stops behind the name of a function, as it wants a parenthesis.
func stopped(text string, failed error) *token {
	m := errorPosition.FindStringSubmatch(failed.Error())
	if m == nil {
		return nil
	}
	position, err := strconv.Atoi(m[1])
	if err != nil {
		return nil
	}
	tokens := tokensOf(text)
	at := slices.IndexFunc(tokens, func(t token) bool { return t.to >= position-1 })
	if at < 0 {
		at = len(tokens)
	}
	for _, i := range []int{at, at - 1} {
		if i < 0 || i >= len(tokens) {
			continue
		}
		t := &tokens[i]
		called := i+1 < len(tokens) && tokens[i+1].kind == '('
		if !called && slices.Contains(names, t.word) && strings.EqualFold(text[t.from:t.to], t.word) && !strings.HasPrefix(text[t.to:], "`") {
			return t
		}
	}
	return nil
}
