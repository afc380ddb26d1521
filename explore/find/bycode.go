package find

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/find/generate"
	"github.com/txmc/txmc/explore/find/record"
	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/program/rows"
	"github.com/txmc/txmc/report"
)

// The schema that code makes at run time: that code is run on an empty database, and what it sends is the schema.

// defines matches statements of a schema.
var defines = regexp.MustCompile(`(?i)^\s*(?:CREATE|ALTER|DROP|COMMENT)\s`)

// notes matches statements by which a library that makes schemas notes what it has made.
var notes = regexp.MustCompile("(?i)^\\s*(?:INSERT\\s+INTO|UPDATE|DELETE\\s+FROM|TRUNCATE(?:\\s+TABLE)?)\\s+(?:[`\"]?public[`\"]?\\.)?[`\"]?(?:goose_db_version|schema_migrations|gorp_migrations|schema_version|migrations)\\b")

// given is a statement with its arguments in the place of $1 and so on, or of question marks.
func given(sql string, args []string) string {
	for i, a := range slices.Backward(args) {
		sql = strings.ReplaceAll(sql, fmt.Sprintf("$%d", i+1), a)
	}
	for _, a := range args {
		sql = strings.Replace(sql, "?", a, 1)
	}
	return sql
}

// byCode is the schema that code makes, where files make less than half of its tables. The error says why there is none.
func (f *finding) byCode(ctx context.Context, files []schema.Source) (*schema.Source, error) {
	dir, err := filepath.Abs(f.Dir)
	if err != nil || !f.Run {
		return nil, nil
	}
	m, ok := f.migration(schema.Root(dir))
	if !ok || len(m.Constructors) == 0 && slices.ContainsFunc(files, func(s schema.Source) bool { return covers(s.Tables, m) }) {
		return nil, nil
	}
	m.Before = f.before(m)
	m.Pq = f.Dialect == access.PostgreSQL && f.pq(schema.Root(dir))
	f.say("running the code that makes the schema")
	kept := filepath.Join(f.Temp, "schema")
	r := &runner{finding: f, env: []string{record.Variable + "=" + kept}, quiet: true}
	file := r.newFile(r.packageName() + "schema")
	if err := file.Migrates(m); err != nil {
		return nil, err
	}
	text, err := file.Source()
	if err != nil {
		return nil, fmt.Errorf("the generated file is wrong, please report it: %w", err)
	}
	r.names, r.wanted = []string{generate.SchemaProgram}, map[string]bool{generate.SchemaProgram: true}
	if err := r.build(ctx, file, text); err != nil {
		return nil, err
	}
	var failed error
	r.each = func(kind string, line []byte) error {
		var e report.Error
		if kind == report.TypeError && report.Parse(line, &e) == nil {
			failed = fmt.Errorf("the code that makes the schema has failed: %s", e.Message)
		}
		return nil
	}
	if err := r.run(ctx); err != nil {
		return nil, err
	}
	sent, err := f.read(kept)
	if err != nil {
		return nil, err
	}
	if err := f.failures(kept); err != nil {
		return nil, err
	}
	s := schema.Source{Path: byCodeOf(m)}
	s.Scripts = []rows.Script{{Name: s.Path, Text: definitions(sent[generate.SchemaProgram])}}
	if s.Tables = schema.Tables(s.Scripts); len(s.Tables) == 0 {
		return nil, failed
	}
	return &s, nil
}

// before are the statements that make extensions which fields of the types use.
func (f *finding) before(m generate.Migration) (list []string) {
	if f.Dialect != access.PostgreSQL {
		return nil
	}
	var tags strings.Builder
	for _, t := range m.Models {
		if s, ok := t.Type().Underlying().(*types.Struct); ok {
			for i := range s.NumFields() {
				tags.WriteString(s.Tag(i) + "\n")
			}
		}
	}
	for _, name := range schema.Uses(tags.String()) {
		list = append(list, schema.Extension(name))
	}
	return list
}

// failures tells what of the code that makes the schema has failed: what it has made before is taken.
func (f *finding) failures(kept string) error {
	in, err := os.Open(kept)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("cannot read a temporary file: %w", err)
	}
	defer in.Close()
	list, err := record.Failures(in)
	for _, what := range list {
		f.unknown("", "the code that makes the schema has failed, and what it has made before is taken: "+what)
	}
	return err
}

// definitions are the statements of a schema among those that were sent, each once.
func definitions(sent []rows.Sent) string {
	var list []string
	for _, s := range sent {
		text := strings.TrimRight(strings.TrimSpace(s.SQL), ";")
		switch {
		case notes.MatchString(text): // each of them counts, in its order
			list = append(list, given(text, s.Args))
		case defines.MatchString(rows.WithoutComment(text)) && !slices.Contains(list, text):
			list = append(list, text)
		}
	}
	return strings.Join(list, ";\n") + ";\n"
}

// covers reports whether tables are half of those that the code makes, or some where that is not known.
func covers(tables []string, m generate.Migration) bool {
	there := 0
	for _, t := range m.Models {
		if slices.ContainsFunc(schema.NamesOf(t.Name()), func(name string) bool { return slices.Contains(tables, name) }) {
			there++
		}
	}
	return len(tables) > 0 && 2*there >= len(m.Models)
}

// byCode is what the names of such schemas begin with.
const byCode = "what the code makes: "

// byCodeOf says what makes the schema.
func byCodeOf(m generate.Migration) string {
	var by []string
	for _, fn := range slices.Concat(m.Functions, m.Constructors) {
		by = append(by, fn.Pkg().Name()+"."+fn.Name())
	}
	if m.Library != nil {
		what := "ent"
		if len(m.Models) > 0 {
			what = fmt.Sprintf("%s's tables of %s", strings.SplitN(filepath.Base(strings.TrimPrefix(m.Library.String(), "*")), ".", 2)[0], count(len(m.Models), "type"))
		}
		by = append(by, what)
	}
	return byCode + strings.Join(by, ", ")
}
