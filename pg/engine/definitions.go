// Whether a statement has changed definitions: of tables and of everything else that a schema has.

package engine

import "strings"

// Redefined reports whether the server may have changed definitions since it was asked last.
func (x *Instance) Redefined() bool {
	defer func() { x.redefined = false }()
	return x.redefined
}

// defines reports whether a statement of a command tag may change definitions.
func defines(tag string) bool {
	verb, _, _ := strings.Cut(tag, " ")
	switch verb {
	case "CREATE", "ALTER", "DROP", "GRANT", "REVOKE", "REASSIGN", "IMPORT", "COMMENT", "SECURITY":
		return true
	}
	return false
}

// definitions is a query for a text that is the same where all lasting definitions are. In catalogs whose rows
// change by themselves it looks at some columns only.
const definitions = `
WITH n AS (SELECT * FROM pg_catalog.pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'),
c AS (SELECT * FROM pg_catalog.pg_class WHERE oid >= 16384 AND relpersistence <> 't' AND relkind <> 't'),
y AS (SELECT t.* FROM pg_catalog.pg_type t JOIN n ON n.oid = typnamespace WHERE t.oid >= 16384)
SELECT pg_catalog.md5(coalesce(pg_catalog.string_agg(d, ',' ORDER BY d), '')) FROM (
	SELECT concat_ws(' ', 'c', oid, relname, relnamespace, relkind, relowner, relnatts, relchecks, relhasrules, relrowsecurity, relforcerowsecurity,
		relispartition, relreplident, reloptions, relacl, relpartbound) FROM c
	UNION ALL SELECT concat_ws(' ', 'a', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, attisdropped, atthasdef, attidentity, attgenerated, attacl)
		FROM pg_catalog.pg_attribute JOIN c ON c.oid = attrelid
	UNION ALL SELECT concat_ws(' ', 'd', d) FROM pg_catalog.pg_attrdef d JOIN c ON c.oid = adrelid
	UNION ALL SELECT concat_ws(' ', 'i', indexrelid, indrelid, indisunique, indisvalid) FROM pg_catalog.pg_index JOIN c ON c.oid = indrelid
	UNION ALL SELECT concat_ws(' ', 'k', k) FROM pg_catalog.pg_constraint k WHERE conrelid IN (SELECT oid FROM c) OR contypid IN (SELECT oid FROM y)
	UNION ALL SELECT concat_ws(' ', 't', t) FROM pg_catalog.pg_trigger t JOIN c ON c.oid = tgrelid WHERE NOT tgisinternal
	UNION ALL SELECT concat_ws(' ', 'r', r) FROM pg_catalog.pg_rewrite r JOIN c ON c.oid = ev_class
	UNION ALL SELECT concat_ws(' ', 'policy', p) FROM pg_catalog.pg_policy p JOIN c ON c.oid = polrelid
	UNION ALL SELECT concat_ws(' ', 'sequence', s) FROM pg_catalog.pg_sequence s JOIN c ON c.oid = seqrelid
	UNION ALL SELECT concat_ws(' ', 'inherits', h) FROM pg_catalog.pg_inherits h JOIN c ON c.oid = inhrelid
	UNION ALL SELECT concat_ws(' ', 'statistics', s) FROM pg_catalog.pg_statistic_ext s JOIN c ON c.oid = stxrelid
	UNION ALL SELECT concat_ws(' ', 'y', y) FROM y
	UNION ALL SELECT concat_ws(' ', 'e', e) FROM pg_catalog.pg_enum e JOIN y ON y.oid = enumtypid
	UNION ALL SELECT concat_ws(' ', 'p', p) FROM pg_catalog.pg_proc p JOIN n ON n.oid = pronamespace WHERE p.oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'aggregate', a) FROM pg_catalog.pg_aggregate a JOIN pg_catalog.pg_proc p ON p.oid = aggfnoid JOIN n ON n.oid = pronamespace WHERE p.oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'n', n) FROM n WHERE oid >= 16384 OR nspname = 'public'
	UNION ALL SELECT concat_ws(' ', 'o', o) FROM pg_catalog.pg_operator o JOIN n ON n.oid = oprnamespace WHERE o.oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'cast', a) FROM pg_catalog.pg_cast a WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'collation', l) FROM pg_catalog.pg_collation l WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'configuration', g) FROM pg_catalog.pg_ts_config g WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'dictionary', g) FROM pg_catalog.pg_ts_dict g WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'extension', x) FROM pg_catalog.pg_extension x WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'on', x) FROM pg_catalog.pg_event_trigger x
	UNION ALL SELECT concat_ws(' ', 'database', oid, datname, datdba, datacl) FROM pg_catalog.pg_database
	UNION ALL SELECT concat_ws(' ', 'role', u) FROM pg_catalog.pg_authid u WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'member', m) FROM pg_catalog.pg_auth_members m WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'comment', o) FROM pg_catalog.pg_description o
	UNION ALL SELECT concat_ws(' ', 'comment', o) FROM pg_catalog.pg_shdescription o
	UNION ALL SELECT concat_ws(' ', 'foreign data wrapper', o) FROM pg_catalog.pg_foreign_data_wrapper o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'foreign server', o) FROM pg_catalog.pg_foreign_server o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'user mapping', o) FROM pg_catalog.pg_user_mapping o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'publication', o) FROM pg_catalog.pg_publication o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'publication rel', o) FROM pg_catalog.pg_publication_rel o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'publication namespace', o) FROM pg_catalog.pg_publication_namespace o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'subscription', o) FROM pg_catalog.pg_subscription o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'tablespace', o) FROM pg_catalog.pg_tablespace o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'language', o) FROM pg_catalog.pg_language o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'transform', o) FROM pg_catalog.pg_transform o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'am', o) FROM pg_catalog.pg_am o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'opclass', o) FROM pg_catalog.pg_opclass o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'opfamily', o) FROM pg_catalog.pg_opfamily o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'conversion', o) FROM pg_catalog.pg_conversion o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'ts parser', o) FROM pg_catalog.pg_ts_parser o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'ts template', o) FROM pg_catalog.pg_ts_template o WHERE oid >= 16384
	UNION ALL SELECT concat_ws(' ', 'foreign table', o) FROM pg_catalog.pg_foreign_table o
	UNION ALL SELECT concat_ws(' ', 'parameter acl', o) FROM pg_catalog.pg_parameter_acl o
	UNION ALL SELECT concat_ws(' ', 'seclabel', o) FROM pg_catalog.pg_seclabel o
	UNION ALL SELECT concat_ws(' ', 'shseclabel', o) FROM pg_catalog.pg_shseclabel o
	UNION ALL SELECT concat_ws(' ', 'setting', s) FROM pg_catalog.pg_db_role_setting s
	UNION ALL SELECT concat_ws(' ', 'acl', s) FROM pg_catalog.pg_default_acl s
) AS all_of_them (d)`

// Definitions is a text that is the same where all lasting definitions are. The instance must be idle.
func (x *Instance) Definitions() (text string, err error) {
	if x.Hungry() || x.depth > 0 {
		return "", ErrBusy
	}
	err = x.asOwner(func() error {
		return x.rows(definitions, func(b []byte) error {
			text = string(b[6:]) // the number of columns and the value's length come first
			return nil
		})
	})
	return text, err
}

// asOwner runs f as the user who has made the database, whatever role the client has set: others may not read all catalogs.
func (x *Instance) asOwner(f func() error) (err error) {
	const bootstrapUser = 10 // BOOTSTRAP_SUPERUSERID (catalog/pg_authid.dat)
	p := x.proc
	x.onStack(8, func(at uint32) {
		p.Must("GetUserIdAndSecContext", uint64(at), uint64(at+4))
		user, context := p.Word(at), p.Word(at+4)
		p.Must("SetUserIdAndSecContext", bootstrapUser, 0)
		err = f()
		p.Must("SetUserIdAndSecContext", uint64(user), uint64(context))
	})
	return err
}
