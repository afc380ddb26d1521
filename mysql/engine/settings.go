package engine

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/dolthub/go-mysql-server/sql"
	"github.com/dolthub/vitess/go/mysql"
	"github.com/dolthub/vitess/go/sqltypes"
	"github.com/dolthub/vitess/go/vt/proto/query"
	"github.com/dolthub/vitess/go/vt/sqlparser"

	"github.com/txmc/txmc/mysql/model"
)

// SET of system variables (MariaDB, "Server System Variables"). What a variable does is known
// here, or it does nothing that a client sees. A SET of another one is not explored: that it is
// answered, and has no effect, would be silent.

// settings are what SET gives a connection, beside the variables of the engine.
type settings struct {
	snapshot bool        // innodb_snapshot_isolation
	limit    model.Limit // of waits for locks: innodb_lock_wait_timeout
	seconds  float64     // of that limit
	most     float64     // max_statement_time, in seconds; 0 for none
	safe     bool        // sql_safe_updates
}

// timed reports whether a wait for a lock may end by the time limit of statements. That of waits
// may be shorter.
func (s *settings) timed() bool {
	return s.most > 0 && (s.limit == model.NoLimit || s.most <= s.seconds)
}

// knownVariables are variables that the engine, or this package, knows.
var knownVariables = strings.Fields(`autocommit character_set_client character_set_connection character_set_results character_set_server
	character_set_database collation_connection collation_server collation_database names charset foreign_key_checks group_concat_max_len
	innodb_lock_wait_timeout innodb_snapshot_isolation max_error_count max_statement_time sql_mode sql_safe_updates sql_select_limit time_zone
	transaction transaction_isolation transaction_read_only`)

// withoutEffect are variables on which nothing depends that a client sees: they are of how fast
// a statement is, of the server's files and logs, of tables that are defined, and of clients that
// wait.
var withoutEffect = strings.Fields(`big_tables binlog_format binlog_row_image bulk_insert_buffer_size default_storage_engine
	default_tmp_storage_engine eq_range_index_dive_limit explicit_defaults_for_timestamp
	gtid_domain_id histogram_size innodb_strict_mode innodb_table_locks interactive_timeout join_buffer_size
	join_cache_level key_buffer_size lc_messages lock_wait_timeout log_queries_not_using_indexes log_slow_query_time log_slow_rate_limit log_warnings
	long_query_time low_priority_updates max_allowed_packet max_heap_table_size max_length_for_sort_data max_sort_length mrr_buffer_size
	myisam_sort_buffer_size net_buffer_length net_read_timeout net_retry_count net_write_timeout optimizer_prune_level optimizer_search_depth
	optimizer_selectivity_sampling_limit optimizer_switch optimizer_trace optimizer_use_condition_selectivity performance_schema profiling
	profiling_history_size query_alloc_block_size query_cache_type query_prealloc_size read_buffer_size read_rnd_buffer_size
	session_track_schema session_track_state_change session_track_system_variables session_track_transaction_info slow_query_log
	sort_buffer_size sql_log_bin sql_log_off sql_notes sql_quote_show_create sql_warnings tmp_table_size tmp_memory_table_size
	transaction_alloc_block_size transaction_prealloc_size unique_checks use_stat_tables wait_timeout`)

// neutral are values of other variables that are the usual ones.
var neutral = map[string][]string{
	"auto_increment_increment": {"1", "default"}, "auto_increment_offset": {"1", "default"}, "completion_type": {"0", "no_chain", "default"},
	"max_execution_time": {"0"}, "idle_transaction_timeout": {"0", "default"}, "idle_readonly_transaction_timeout": {"0", "default"},
	"idle_write_transaction_timeout": {"0", "default"}, "sql_auto_is_null": {"0", "off", "false", "default"},
	"div_precision_increment": {"4", "default"}, "sql_big_selects": {"1", "on", "true", "default"}, "lc_time_names": {"en_us", "default"},
	"old_mode": {"", "utf8_is_utf8mb3", "default"}, "timestamp": {"default", "0"}, "sql_buffer_result": {"0", "off", "default"},
	"query_cache_wlock_invalidate": {"0", "off", "default"}, "default_week_format": {"0", "default"}, "old_passwords": {"0", "off", "default"},
	"storage_engine": {"innodb", "default"},
}

// nameOf is the name of a variable that SET sets, in lower case and without its scope.
func nameOf(e *sqlparser.SetVarExpr) string {
	name := strings.TrimPrefix(e.Name.Name.Lowered(), "@@")
	for _, scope := range []string{"session.", "local."} {
		name = strings.TrimPrefix(name, scope)
	}
	return strings.Trim(name, "`")
}

// valueOf is the value that SET gives a variable, in lower case.
func valueOf(e *sqlparser.SetVarExpr) string {
	return strings.Trim(strings.ToLower(sqlparser.String(e.Expr)), "'`\"")
}

// on reports whether a value is true; off, whether it is false, or the default of what is off.
func on(value string) bool { return value == "1" || value == "on" || value == "true" }

func off(value string) bool {
	return value == "0" || value == "off" || value == "false" || value == "default"
}

// unknownSetting says why a SET is not explored; "" for one that is.
func unknownSetting(s *sqlparser.Set) string {
	for _, e := range s.Exprs {
		name := nameOf(e)
		if e.Scope == sqlparser.SetScope_User || strings.HasPrefix(name, "@") {
			continue
		}
		if !slices.Contains(knownVariables, name) && !slices.Contains(withoutEffect, name) && !slices.Contains(neutral[name], valueOf(e)) {
			return "what SET " + name + " changes is not known here: leave it out of the test, or write into the statements what it is for"
		}
	}
	return ""
}

// set is SET of what this package knows. It takes these variables out of the statement, and
// reports whether none is left for the engine.
func (c *Conn) set(text string, s *sqlparser.Set) (all bool, err error) {
	if setsNext(text, s) && c.InTransaction() {
		return true, mysql.NewSQLError(1568, "25001", "Transaction characteristics can't be changed while a transaction is in progress")
	}
	if setsNext(text, s) && nameOf(s.Exprs[0]) == accessVariable {
		c.access(on(valueOf(s.Exprs[0])))
		return true, nil
	}
	if c.setLevel(s) {
		return true, nil
	}
	if setsNext(text, s) {
		c.next = strings.ToUpper(valueOf(s.Exprs[0]))
		return true, nil
	}
	var left sqlparser.SetVarExprs
	for _, e := range s.Exprs {
		own, err := c.setOwn(e)
		if err != nil {
			return true, err
		}
		if !own {
			left = append(left, e)
		}
	}
	s.Exprs = left
	return len(left) == 0, nil
}

// access is the access mode of the next transaction alone.
func (c *Conn) access(readOnly bool) { c.session.Access(&readOnly) }

// nextLevel is SET @@tx_isolation or @@tx_read_only, as Clean writes it. The parser takes it for SET SESSION.
var nextLevel = regexp.MustCompile(`(?i)^\s*SET\s+@@transaction_(?:isolation|read_only)\b`)

// setsNext reports whether a SET is of the next transaction alone.
func setsNext(text string, s *sqlparser.Set) bool {
	return len(s.Exprs) > 0 && nameOf(s.Exprs[0]) == sqlparser.TransactionStr && s.Exprs[0].Scope == sqlparser.SetScope_None ||
		len(s.Exprs) == 1 && nextLevel.MatchString(text)
}

// setOwn sets a variable of this package's; false for the engine's.
func (c *Conn) setOwn(e *sqlparser.SetVarExpr) (own bool, err error) {
	name, value := nameOf(e), valueOf(e)
	switch {
	case e.Scope == sqlparser.SetScope_User || strings.HasPrefix(name, "@"):
		return false, nil
	case name == "innodb_snapshot_isolation":
		c.snapshot = on(value)
		return true, nil
	case name == limitVariable:
		c.limit = limitOf(value)
		c.seconds, _ = strconv.ParseFloat(value, 64) // DEFAULT is no limit
		return c.limit == model.NoWait, nil          // the engine does not have MariaDB's 0
	case name == "max_statement_time":
		seconds, err := strconv.ParseFloat(value, 64)
		if err != nil && value != "default" {
			return true, notEvaluated(name)
		}
		c.most = seconds
		return true, nil
	case name == accessVariable:
		if !on(value) && !off(value) {
			return true, notEvaluated(name)
		}
		c.session.ReadsOnly(on(value))
		return false, nil
	case name == "sql_safe_updates":
		c.safe = on(value)
		if !c.safe && !off(value) {
			return true, notEvaluated(name)
		}
		return false, nil
	case slices.Contains(withoutEffect, name), neutral[name] != nil:
		return true, nil
	}
	return false, nil
}

// notEvaluated is the error of a SET whose value is no literal.
func notEvaluated(name string) error {
	return mysql.NewSQLError(1235, "42000", refusedHere+"SET %s to what is no literal is not explored: write the value", name)
}

// modes are the SQL modes that the engine knows, or that are of what is not explored.
var modes = strings.Fields(`ansi ansi_quotes error_for_division_by_zero ignore_space no_auto_create_user no_auto_value_on_zero no_dir_in_create no_engine_substitution
	no_zero_date no_zero_in_date only_full_group_by pipes_as_concat strict_all_tables strict_trans_tables traditional`)

// knownMode returns an error where the SQL mode has a word whose effect is not known.
func (c *Conn) knownMode(s *sql.Context) error {
	v, err := c.session.GetSessionVariable(s, "sql_mode")
	text, _ := v.(string)
	for _, word := range strings.Split(strings.ToLower(text), ",") {
		if word = strings.TrimSpace(word); err == nil && word != "" && !slices.Contains(modes, word) {
			return mysql.NewSQLError(1235, "42000", refusedHere+"the SQL mode %s is not explored: leave it out of sql_mode", strings.ToUpper(word))
		}
	}
	return err
}

// setsMode reports whether a SET sets the SQL mode.
func setsMode(s *sqlparser.Set) bool {
	return slices.ContainsFunc(s.Exprs, func(e *sqlparser.SetVarExpr) bool { return nameOf(e) == "sql_mode" })
}

// waiting finds the time limit of a locking clause, of MariaDB, at the end of a statement.
var waiting = regexp.MustCompile(`(?is)(\b(?:FOR\s+UPDATE|LOCK\s+IN\s+SHARE\s+MODE))\s+WAIT\s+(\d+)\s*;?\s*$`)

// withoutWait is a statement without the time limit of its locking clause, and that limit.
func withoutWait(text string) (string, model.Limit, bool) {
	m := waiting.FindStringSubmatch(text)
	if m == nil {
		return text, model.NoLimit, false
	}
	return waiting.ReplaceAllString(text, "$1"), limitOf(m[2]), true
}

// setStatement splits SET STATEMENT … FOR …, of MariaDB, into the SET and the statement.
func setStatement(text string) (set, inner string, is bool) {
	tokens := tokensOf(text)
	r := &respeller{text: text, tokens: tokens}
	if len(tokens) < 3 || !r.is(0, "set") || !r.is(1, "statement") {
		return "", "", false
	}
	for i := 2; i < len(tokens); i++ {
		if tokens[i].depth == 0 && r.is(i, "for") {
			return "SET SESSION " + strings.TrimSpace(text[tokens[1].to:tokens[i].from]), strings.TrimSpace(text[tokens[i].to:]), true
		}
	}
	return "", "", false
}

// during runs a statement with settings of its own.
func (c *Conn) during(ctx context.Context, set, inner string, args map[string]*query.BindVariable) (*sqltypes.Result, error) {
	s := c.context(ctx, set)
	parsed, err := c.parsed(s, set)
	p, is := parsed.(*sqlparser.Set)
	if err == nil && !is {
		err = syntaxError(set, errors.New("no SET"))
	}
	if err != nil {
		return nil, c.judged(set, parsed, err, c.serverError(err))
	}
	before, variables := c.settings, map[string]any{}
	for _, e := range p.Exprs {
		name := nameOf(e)
		if slices.Contains(atOnce, name) {
			e := mysql.NewSQLError(1235, "42000", refusedHere+"SET STATEMENT %s is not explored: set the variable for the session", name)
			return nil, c.judged(set, parsed, e, e)
		}
		if v, err := c.session.GetSessionVariable(s, name); err == nil {
			variables[name] = v
		}
	}
	defer func() {
		c.settings = before
		for name, v := range variables {
			_ = c.session.SetSessionVariable(s, name, v) // it has been its value
		}
	}()
	if _, err := c.Query(ctx, set, nil); err != nil {
		return nil, err
	}
	return c.Query(ctx, inner, args)
}

// atOnce are variables that do something when they are set.
var atOnce = []string{"autocommit", isolationVariable, sqlparser.TransactionStr, accessVariable}

// checksForeign reports whether foreign keys are checked.
func (c *Conn) checksForeign() bool {
	v, err := c.session.GetSessionVariable(c.plain(), "foreign_key_checks")
	on, _ := v.(int8)
	return err != nil || on != 0
}
