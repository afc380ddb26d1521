package access

import (
	"fmt"
	"slices"
	"strings"
)

// Product is a release of a server with InnoDB: its major version times 100, and the minor one. MariaDB's are
// greater than MySQL's.
type Product int

// The products that are known. 0 stands for MariaDB1011.
const (
	MySQL84     Product = 804
	MariaDB1011 Product = 1011
	MariaDB118  Product = 1108
)

// products are their names, the newest of each server first.
var products = []struct {
	name string
	of   Product
}{{"mysql:8.4", MySQL84}, {"mariadb:11.8", MariaDB118}, {"mariadb:10.11", MariaDB1011}}

// ProductNamed is the release of a name, such as mysql:8.4; without a version, the newest.
func ProductNamed(name string) (Product, error) {
	var names []string
	for _, r := range products {
		if server, _, _ := strings.Cut(r.name, ":"); name == r.name || name == server {
			return r.of, nil
		}
		names = append(names, r.name)
	}
	slices.Sort(names)
	return 0, fmt.Errorf("the database %q is not known: give one of %s", name, strings.Join(names, ", "))
}

// ProductOf is the product of a number, such as a program's version; 0 for other numbers.
func ProductOf(n int) Product {
	for _, r := range products {
		if int(r.of) == n {
			return r.of
		}
	}
	return 0
}

// IsMySQL reports whether it is one of MySQL.
func (r Product) IsMySQL() bool { return r == MySQL84 }
