package find

import (
	"context"
	"errors"
	"fmt"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/txmc/txmc/explore/find/access"
	"github.com/txmc/txmc/explore/schema"
	"github.com/txmc/txmc/pg"
	"github.com/txmc/txmc/program/rows"
)

// Where the schema is: the files that were given, or else what makes most of the tables of which the code speaks, of the
// constants and embedded files of the packages and of the files of their module.

// Schema says which schema was taken.
type Schema struct {
	From   []string `json:"from"`
	Tables int      `json:"tables"`
	Left   []string `json:"left,omitempty"` // statements that failed and make no table, with the reason
}

// ofCode is the source of the constants and embedded files of the packages.
const ofCode = "constants of the code"

// makeSchema makes the schema, and what analyses statements; the function that it returns ends that.
func (f *finding) makeSchema(ctx context.Context) (end func(), err error) {
	if len(f.Schema) > 0 {
		scripts, err := schema.Given(f.Schema)
		if err != nil {
			return nil, fmt.Errorf("--schema: %w", err)
		}
		return f.parser(ctx, f.Schema, scripts)
	}
	all := f.sources()
	made, err := f.byCode(ctx, all)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case made != nil:
		all = append([]schema.Source{*made}, all...)
	case len(all) == 0 && len(f.program.Calls) == 0 && len(f.program.Open) == 0:
		return nil, f.noCalls()
	case len(all) == 0 && err != nil:
		return nil, fmt.Errorf("%w; %w", errNoSchema, err)
	case len(all) == 0:
		return nil, errNoSchema
	case err != nil:
		f.unknown("", err.Error())
	}
	for len(all) > 0 {
		from, scripts, taken := together(all, f.mentioned())
		if end, err = f.parser(ctx, from, scripts); err == nil || ctx.Err() != nil {
			return end, err
		}
		if f.schemaFailed == nil {
			f.schemaFailed = err
		}
		all = slices.DeleteFunc(all, func(s schema.Source) bool { return slices.Contains(taken, s.Path) })
	}
	return nil, f.schemaFailed
}

// errNoSchema is the error of an application whose schema is not found.
var errNoSchema = errors.New("there is no schema: no constant or embedded file of the packages has CREATE TABLE, and no file *.sql of the module; name files or directories by --schema")

// errNoCalls is the error of code that has nothing to do with a database.
var errNoCalls = errors.New(noCalls)

// noCalls is that error, with the packages that were not looked at.
func (f *finding) noCalls() error {
	if len(f.source.Left) == 0 {
		return errNoCalls
	}
	var left []string
	for _, l := range f.source.Left {
		left = append(left, fmt.Sprintf("%s (%s)", l.Package, firstLine(l.Why)))
	}
	return fmt.Errorf("%w; not looked at: %s", errNoCalls, strings.Join(left, ", "))
}

// sources are the places that make tables, in the order of [schema.Find] behind the code's own texts.
func (f *finding) sources() (list []schema.Source) {
	code := schema.Source{Path: ofCode}
	for _, s := range f.program.Schemas {
		if !slices.ContainsFunc(code.Scripts, func(o rows.Script) bool { return o.Text == s.SQL }) {
			code.Scripts = append(code.Scripts, rows.Script{Name: s.At, Text: s.SQL})
		}
	}
	if len(code.Scripts) > 0 {
		code.Tables = schema.Tables(code.Scripts)
		list = append(list, code)
	}
	db := schema.PostgreSQL
	if f.Dialect == access.MySQL {
		db = schema.MySQL
	}
	dir := f.home()
	return append(list, near(dir, schema.Root(dir), db, f.mentioned())...)
}

// home is the directory that all packages are in.
func (f *finding) home() (dir string) {
	for _, p := range f.source.Roots {
		switch {
		case len(p.GoFiles) == 0:
		case dir == "":
			dir = filepath.Dir(p.GoFiles[0])
		default:
			for !strings.HasPrefix(p.GoFiles[0], strings.TrimSuffix(dir, string(filepath.Separator))+string(filepath.Separator)) {
				dir = filepath.Dir(dir)
			}
		}
	}
	return dir
}

// near are the sources below a directory, or below the next one around it that makes a table of which the code
// speaks, up to the module's; if none does, up to the repository's.
func near(dir, root string, db schema.Dialect, weights map[string]int) []schema.Source {
	speaks := func(list []schema.Source) bool {
		return slices.ContainsFunc(list, func(s schema.Source) bool {
			return slices.ContainsFunc(s.Tables, func(t string) bool { return weights[t] > 0 })
		})
	}
	var within []schema.Source
	for {
		list := schema.Find(dir, db)
		if speaks(list) {
			return list
		}
		if within = list; dir == root {
			break
		}
		dir = filepath.Dir(dir)
	}
	for range mostAround {
		if dir = filepath.Dir(dir); dir == filepath.Dir(dir) {
			break
		}
		if !repository(dir) {
			continue
		}
		if list := schema.Find(dir, db); speaks(list) {
			return list
		}
	}
	return within
}

// mostAround bounds how far above a module its repository's directory is looked for.
const mostAround = 3

// repository reports whether a directory has what that of a repository has.
func repository(dir string) bool {
	return slices.ContainsFunc([]string{".git", "README.md", "Makefile", "docker-compose.yml", "docker-compose.yaml", "compose.yaml"}, func(name string) bool {
		_, err := os.Stat(filepath.Join(dir, name))
		return err == nil
	})
}

// spoken matches a table in a statement.
var spoken = regexp.MustCompile("(?i)\\b(?:FROM|INTO|UPDATE|JOIN)\\s+([\\w.\"`]+)")

// mentioned weighs the tables of which the code speaks: those of many statements more than those of few, and these more than
// those that structs may be named for.
func (f *finding) mentioned() map[string]int {
	weights := map[string]int{}
	for _, p := range f.source.All {
		for _, name := range p.Types.Scope().Names() {
			if t, ok := p.Types.Scope().Lookup(name).(*types.TypeName); ok {
				if _, ok := t.Type().Underlying().(*types.Struct); ok {
					for _, table := range schema.NamesOf(name) {
						weights[table] = 1
					}
				}
			}
		}
	}
	counted := map[string]bool{}
	for _, c := range f.program.Calls {
		for _, tx := range c.Transactions {
			for _, s := range tx.Statements {
				for _, m := range spoken.FindAllStringSubmatch(s.SQL, -1) {
					if table := schema.Bare(m[1]); !counted[s.At+table] {
						counted[s.At+table] = true
						weights[table] += 100
					}
				}
			}
		}
	}
	return weights
}

// together is the source that makes most of the tables, and others that make more of them and none twice.
func together(all []schema.Source, weights map[string]int) (from []string, scripts []rows.Script, taken []string) {
	made := map[string]bool{}
	for {
		best, most := -1, 0
		for i, s := range all {
			sum := 0
			for _, t := range s.Tables {
				if made[t] {
					sum = -1
					break
				}
				sum += weights[t]
			}
			if sum > most && !slices.Contains(taken, s.Path) {
				best, most = i, sum
			}
		}
		if best < 0 && len(taken) == 0 {
			best = 0
		}
		if best < 0 {
			return from, scripts, taken
		}
		s := all[best]
		for _, t := range s.Tables {
			made[t] = true
		}
		from, scripts, taken = append(from, described(s)), append(scripts, s.Scripts...), append(taken, s.Path)
	}
}

// described is a source for people.
func described(s schema.Source) string {
	if n := len(s.Scripts); s.Kind == schema.Migrations && s.Path != ofCode && !strings.HasPrefix(s.Path, byCode) {
		return fmt.Sprintf("%s (%s)", s.Path, count(n, "file"))
	}
	return s.Path
}

// parser starts what analyses statements, on the schema of some scripts; the function that it returns ends it.
func (f *finding) parser(ctx context.Context, from []string, scripts []rows.Script) (end func(), err error) {
	if f.Dialect == access.PostgreSQL {
		scripts = schema.Extended(scripts)
	}
	work := &schema.Settling{Scripts: scripts}
	if f.Dialect == access.MySQL {
		end, err = f.outside(ctx, work)
	} else {
		end, err = f.inside(ctx, work)
	}
	if err != nil {
		return nil, fmt.Errorf("the schema cannot be made: %w", err)
	}
	f.schema = work.Text()
	f.report.Schema = &Schema{From: from, Tables: len(f.catalog.Tables)}
	for _, l := range work.Left {
		f.report.Schema.Left = append(f.report.Schema.Left, l.Err.Error())
	}
	return end, nil
}

// inside analyses by PostgreSQL in this process.
func (f *finding) inside(ctx context.Context, work *schema.Settling) (end func(), err error) {
	a, err := access.New(ctx, pg.Scripts(slices.Clone(work.Scripts), work.Leave))
	if err != nil {
		return nil, err
	}
	f.sql, f.catalog = a, a.Catalog
	return func() { a.Close() }, nil
}

// seed reads the files of --seed as one text.
func seed(files []string) (string, error) {
	scripts, err := schema.Given(files)
	if err != nil {
		return "", fmt.Errorf("--seed: %w", err)
	}
	return strings.TrimSpace((&schema.Settling{Scripts: scripts}).Text()), nil
}
