package generate

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/txmc/txmc/explore/find/access"
)

// What a function that makes a receiver is given: the database, and zero values of what says
// nothing. A text is an address where nothing else leads to the database.
func TestGiven(t *testing.T) {
	const code = `package p
import ("context"; "database/sql"; "log"; "log/slog"; "time")
type Config struct{ N int }
type Option func(*Config)
func A(ctx context.Context, db *sql.DB, log *slog.Logger, old *log.Logger, d time.Duration, c Config, p *Config, f func(), b bool, opts ...Option) {}
func B(dsn string, m map[string]int) {}
func C(db *sql.DB, table string) {}
func D(db *sql.DB, workers int) {}
func E(db *sql.DB, c struct{ n int }) {}
type Repo interface{ Find() }
type repo struct{}
func (*repo) Find() {}
func NewRepo(db *sql.DB) (*repo, error) { return nil, nil }
type Service struct{}
func NewService(r Repo, any interface{}) *Service { return nil }
func F(s *Service) {}
type Ring struct{}
func NewRing(r *Ring) *Ring { return nil }
func G(r *Ring) {}
`
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", code, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := types.Config{Importer: importer.ForCompiler(fset, "source", nil)}
	pkg, err := config.Check("example.com/p", fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	f := func() *File {
		f := NewFile("q", "", access.PostgreSQL)
		for _, name := range []string{"NewRing", "NewRepo", "NewService"} {
			f.Makers = append(f.Makers, pkg.Scope().Lookup(name).(*types.Func))
		}
		return f
	}
	for name, want := range map[string]string{
		"F": `p2.NewService(must(p2.NewRepo(db.Open(s))), nil)`,
		"G": `p2.NewRing(nil)`,
		"A": `context.Background(), db.Open(s), slog.New(slog.DiscardHandler), log.New(io.Discard, "", 0), time.Second, p2.Config{}, nil, nil, false`,
		"B": "db.DSN(s), nil",
		"C": "the argument table",
		"D": "the argument workers",
		"E": "the argument c",
	} {
		args, err := f().given(pkg.Scope().Lookup(name).Type().(*types.Signature))
		got := strings.Join(args, ", ")
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s: %s, not %s", name, got, want)
		}
	}
}
