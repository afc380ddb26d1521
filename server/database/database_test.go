package database_test

import (
	"strings"
	"testing"

	"github.com/txmc/txmc/server/database"
)

// What may be somebody's database is refused before anybody connects to it.
func TestRefused(t *testing.T) {
	for _, test := range []struct{ dsn, yes, want string }{
		{"postgres://nobody@127.0.0.1:1/shop", "", "--yes-scratch=shop"},
		{"postgres://nobody@127.0.0.1:1/shop", "shops", "--yes-scratch=shop"},
		{"host=127.0.0.1 port=1 dbname=shop", "", "--yes-scratch=shop"},
		{"mysql://root@127.0.0.1:1/shop", "", "--yes-scratch=shop"},
		{"root@tcp(127.0.0.1:1)/shop", "", "--yes-scratch=shop"},
		{"mysql://root@127.0.0.1:1/", "", "names no database"},
		{"oracle://x/y", "", "no address of a database"},
		{"", "", "no address of a database"},
		{"oracle:temp", "", "no throw-away servers"},
		{"postgres://%zz", "", "parse"},
		{"postgres://nobody@127.0.0.1:1/txmc_x?sslmode=disable", "", "cannot connect to PostgreSQL"},
		{"mysql://root@127.0.0.1:1/shop", "shop", "cannot connect to MariaDB"},
	} {
		d, err := database.Open(t.Context(), test.dsn, test.yes)
		if err == nil || d != nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%q: %v, want %q", test.dsn, err, test.want)
		}
	}
}
