package generate

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/txmc/txmc/explore/find/access"
)

// What a function that makes a receiver is given: the database, plain values by their names, what does nothing in the
// place of interfaces, and zero values. A text is an address where nothing else leads to the database.
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
type Settings struct {
	DB struct{ Host string; Port uint16; User, Name, SSLMode string }
	Pool *Pool
	URL, Secret string
	Timeout time.Duration
	hidden int
}
type Pool struct{ Max int }
type DB struct{ *sql.DB }
func Open(s *Settings) (*DB, func(), error) { return nil, nil, nil }
func H(db *DB) {}
type Address string
func L(at Address) {}
func I(host string, port int, user, password, dbname string) {}
type Log interface{ Info(text string, more ...any); With(key string) Log }
type Cache interface{ Get(key string) ([]byte, error); Set(key string) error }
func J(db *sql.DB, l Log, c Cache) {}
type Mutex interface{ Lock(key string) error }
func K(db *sql.DB, m Mutex, r Repo) {}
type App struct { DB *sql.DB; Config *Config; Log Log; Slog *slog.Logger; Name string; hidden *sql.DB }
type Lone struct { Config *Config; Name string }
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
		for _, name := range []string{"NewRing", "NewRepo", "NewService", "Open"} {
			f.Makers = append(f.Makers, pkg.Scope().Lookup(name).(*types.Func))
		}
		return f
	}
	for name, want := range map[string]string{
		"F": `p2.NewService(must(p2.NewRepo(db.Open(s))), nil)`,
		"G": `p2.NewRing(nil)`,
		"A": `context.Background(), db.Open(s), slog.New(slog.DiscardHandler), log.New(io.Discard, "", 0), time.Second, p2.Config{N: 10}, &p2.Config{N: 10}, nil, false`,
		"B": "db.DSN(s), nil",
		"C": "the argument table",
		"D": "db.Open(s), 10",
		"H": "mustFirst(p2.Open(&p2.Settings{DB: struct{Host string; Port uint16; User string; Name string; SSLMode string}{Host: host(db.Address(s)), Port: uint16(port(db.Address(s))), " +
			`User: "app", Name: "app", SSLMode: "disable"}, Pool: &p2.Pool{Max: 10}, URL: db.DSN(s), Secret: "0123456789abcdef0123456789abcdef", Timeout: time.Second}))`,
		"L": "p2.Address(db.DSN(s))",
		"I": `host(db.Address(s)), port(db.Address(s)), "app", "app", "app"`,
		"J": "db.Open(s), stub1{}, stub2{}",
		"K": "db.Open(s), nil, must(p2.NewRepo(db.Open(s)))",
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
	for name, want := range map[string]string{"App": `DB: db.Open(s), Config: &p2.Config{N: 10}, Log: stub1{}, Slog: slog.New(slog.DiscardHandler)`, "Lone": ""} {
		list, leads := f().fields(pkg.Scope().Lookup(name).Type().Underlying().(*types.Struct))
		if got := strings.Join(list, ", "); leads != (want != "") || leads && got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
	made := f()
	if _, err := made.given(pkg.Scope().Lookup("J").Type().(*types.Signature)); err != nil {
		t.Fatal(err)
	}
	const want = `
// stub1 does nothing.
type stub1 struct{}

func (stub1) Info(_ string, _ ...any) () { return }

func (stub1) With(_ string) (r0 p2.Log) { r0 = stub1{}; return }

// stub2 does nothing.
type stub2 struct{}

func (stub2) Get(_ string) (r0 []byte, r1 error) { r1 = fmt.Errorf("nothing is there"); return }

func (stub2) Set(_ string) (r0 error) { return }
`
	if diff := cmp.Diff(want, made.stubCode.String()); diff != "" {
		t.Error(diff)
	}
}
