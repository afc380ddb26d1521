// Package schema finds the SQL that makes an application's tables, among the files of its module: directories of
// migrations, by the names and forms of golang-migrate, goose, dbmate, tern, sql-migrate, Atlas and Flyway, and single files
// such as schema.sql and what pg_dump and mysqldump write.
package schema

import (
	"cmp"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/program/rows"
)

// Dialect is the database for which a file is written.
type Dialect uint8

// Dialects.
const (
	Unknown Dialect = iota
	PostgreSQL
	MySQL
	Other // SQLite and the like
)

// Source is a place that makes tables.
type Source struct {
	Path    string // of the file or directory, as seen from the root
	Kind    Kind
	Dialect Dialect
	Scripts []rows.Script // in their order; names are as seen from the root
	Tables  []string      // that they make, in lower case, without those that they drop again
}

// Kind is the kind of a source. What is more likely to be the whole schema comes first.
type Kind uint8

// Kinds.
const (
	Migrations Kind = iota // a directory of numbered files
	Named                  // a file whose name says that it is a schema
	Initial                // files that a container of the database runs when it begins
	Loose                  // any other file
)

// Bounds of what is looked at: a tree of files may be huge.
const (
	mostFiles = 20000
	mostBytes = 8 << 20 // of a file
)

// Find lists the places below a directory that make tables, the likeliest for a database first.
func Find(root string, db Dialect) []Source {
	var list []Source
	for dir, files := range directories(root) {
		list = append(list, sources(root, dir, files)...)
	}
	list = slices.DeleteFunc(list, func(s Source) bool { return len(s.Tables) == 0 || s.Dialect != Unknown && s.Dialect != db })
	slices.SortFunc(list, func(a, b Source) int {
		return cmp.Or(int(a.Kind)-int(b.Kind), fits(a, db)-fits(b, db), len(b.Tables)-len(a.Tables), len(a.Path)-len(b.Path), cmp.Compare(a.Path, b.Path))
	})
	return list
}

// fits is 0 for a source that is known to be of a database.
func fits(s Source, db Dialect) int {
	if s.Dialect == db {
		return 0
	}
	return 1
}

// skipped are directories that have nothing of the application's schema.
var skipped = []string{"vendor", "node_modules", "testdata", "third_party", "dist", "target"}

// directories lists the files of SQL below a directory, by directory.
func directories(root string) map[string][]string {
	byDir, seen := map[string][]string{}, 0
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if seen++; seen > mostFiles {
			return fs.SkipAll
		}
		if err != nil { // of a directory that cannot be read, after it has been visited
			return nil
		}
		name := d.Name()
		switch {
		case d.IsDir() && path != root && (strings.HasPrefix(name, ".") || slices.Contains(skipped, name) || isModule(path)):
			return fs.SkipDir
		case !d.IsDir() && strings.EqualFold(filepath.Ext(name), ".sql"):
			byDir[filepath.Dir(path)] = append(byDir[filepath.Dir(path)], path)
		}
		return nil
	})
	return byDir
}

// isModule reports whether a directory is that of a Go module of its own.
func isModule(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

// numbered matches the names of migrations.
var numbered = regexp.MustCompile(`(?i)^(?:v?[0-9]+[._-].*|[0-9]+|[vr][0-9._]*__.*)\.sql$`)

// whole matches the names of files that say that they are a schema.
var whole = regexp.MustCompile(`(?i)(schema|structure|ddl|dump|tables?|create|init|setup|migrat|database|^db|_db|up)[^/]*\.sql$`)

// sources are the places of a directory that make tables.
func sources(root, dir string, files []string) (list []Source) {
	migrations := slices.ContainsFunc(files, func(f string) bool { return numbered.MatchString(filepath.Base(f)) })
	if migrations {
		if scripts, err := rows.Migrations(filepath.Join(quoted(dir), "*.sql")); err == nil {
			list = append(list, source(root, dir, Migrations, scripts))
		}
		return list
	}
	for _, f := range files {
		scripts, err := rows.Migrations(f)
		if err != nil {
			continue
		}
		kind := Loose
		switch {
		case strings.Contains(filepath.ToSlash(f), "initdb") || strings.Contains(filepath.ToSlash(f), "docker"):
			kind = Initial
		case whole.MatchString(filepath.Base(f)):
			kind = Named
		}
		list = append(list, source(root, f, kind, scripts))
	}
	return list
}

// quoted is a directory in a pattern of [filepath.Glob].
func quoted(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// source is the source of scripts.
func source(root, path string, kind Kind, scripts []rows.Script) Source {
	s := Source{Path: relative(root, path), Kind: kind}
	for _, script := range scripts {
		if len(script.Text) > mostBytes {
			continue
		}
		script.Name = relative(root, script.Name)
		script.Text = Plain(script.Text)
		s.Scripts = append(s.Scripts, script)
	}
	s.Tables, s.Dialect = Tables(s.Scripts), dialect(s)
	return s
}

func relative(root, path string) string {
	if r, err := filepath.Rel(root, path); err == nil {
		return filepath.ToSlash(r)
	}
	return path
}

// made and dropped match statements that make tables and take them away.
var (
	made    = regexp.MustCompile("(?i)\\bCREATE\\s+(?:UNLOGGED\\s+)?TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?([\\w.\"`]+)")
	dropped = regexp.MustCompile("(?i)\\bDROP\\s+TABLE\\s+(?:IF\\s+EXISTS\\s+)?([\\w.\"`]+)")
)

// Tables are those that scripts leave, in lower case.
func Tables(scripts []rows.Script) (list []string) {
	for _, s := range scripts {
		for _, m := range dropped.FindAllStringSubmatch(s.Text, -1) {
			list = slices.DeleteFunc(list, func(t string) bool { return t == Bare(m[1]) })
		}
		for _, m := range made.FindAllStringSubmatch(s.Text, -1) {
			if t := Bare(m[1]); !slices.Contains(list, t) {
				list = append(list, t)
			}
		}
	}
	return list
}

// Bare is a table's name without its schema and quotation marks, in lower case.
func Bare(name string) string {
	name = strings.NewReplacer("`", "", `"`, "").Replace(name)
	return strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
}

// What only one of the databases has.
var (
	ofMySQL    = regexp.MustCompile("(?i)\\bAUTO_INCREMENT\\b|\\bENGINE\\s*=|CREATE\\s+TABLE\\s+(?:IF\\s+NOT\\s+EXISTS\\s+)?`|\\bUNSIGNED\\b|DEFAULT\\s+CHARSET|ON\\s+UPDATE\\s+CURRENT_TIMESTAMP|\\bTINYINT\\b")
	ofPostgres = regexp.MustCompile(`(?i)\b(?:BIG|SMALL)?SERIAL\b|\bTIMESTAMPTZ\b|\bJSONB\b|\bBYTEA\b|\$\$|CREATE\s+EXTENSION|\buuid_generate_v4\b|\bgen_random_uuid\b|pg_catalog|::\w|GENERATED\s+(?:ALWAYS|BY\s+DEFAULT)\s+AS\s+IDENTITY|\bUUID\s+(?:NOT\s+NULL|PRIMARY)|CREATE\s+TYPE|with(?:out)?\s+time\s+zone|\bowner\s+to\b|\bCITEXT\b|\b(?:TEXT|INTEGER|UUID|BIGINT)\[\]`)
	ofOther    = regexp.MustCompile(`(?i)\bAUTOINCREMENT\b|\bPRAGMA\b|\bNVARCHAR\b|\bIDENTITY\s*\(|\bVARCHAR2\b|\bENGINE\s*=\s*(?:Replacing|Summing|Aggregating)?MergeTree|strftime\(|\bDATETIME\(\s*'now'`)
)

// dialect is the database for which a source is written, by what it has, or by its path.
func dialect(s Source) Dialect {
	var text strings.Builder
	for _, script := range s.Scripts {
		text.WriteString(script.Text)
	}
	all, path := text.String(), "/"+strings.ToLower(s.Path)
	switch {
	case ofOther.MatchString(all) || strings.Contains(path, "sqlite") || strings.Contains(path, "clickhouse") || strings.Contains(path, "cassandra") || strings.Contains(path, "mssql") || strings.Contains(path, "sqlserver"):
		return Other
	case ofMySQL.MatchString(all):
		return MySQL
	case ofPostgres.MatchString(all):
		return PostgreSQL
	case strings.Contains(path, "mysql") || strings.Contains(path, "mariadb"):
		return MySQL
	case strings.Contains(path, "postgres") || strings.Contains(path, "pg"):
		return PostgreSQL
	}
	return Unknown
}

// NamesOf are the tables that may have rows for a struct of that name: UserOrder has user_order, user_orders.
func NamesOf(name string) []string {
	var b strings.Builder
	for i, r := range name {
		if r >= 'A' && r <= 'Z' {
			if i > 0 {
				b.WriteByte('_')
			}
			r += 'a' - 'A'
		}
		b.WriteRune(r)
	}
	s := b.String()
	return []string{s, s + "s", s + "es", strings.TrimSuffix(s, "y") + "ies"}
}

// Given are the scripts at paths that users name, in their order.
func Given(paths []string) (list []rows.Script, err error) { return given(paths, mostRows) }

// Whole are the scripts at paths that users name, in their order, with all rows of dumps.
func Whole(paths []string) (list []rows.Script, err error) { return given(paths, math.MaxInt) }

func given(paths []string, most int) (list []rows.Script, err error) {
	for _, path := range paths {
		scripts, err := rows.Migrations(path)
		if err != nil {
			return nil, err
		}
		for _, s := range scripts {
			s.Text = plain(s.Text, most)
			list = append(list, s)
		}
	}
	return list, nil
}

// Root is the directory of the module around a directory, or that itself.
func Root(dir string) string {
	for at := dir; ; at = filepath.Dir(at) {
		if _, err := os.Stat(filepath.Join(at, "go.mod")); err == nil {
			return at
		}
		if at == filepath.Dir(at) {
			return dir
		}
	}
}
