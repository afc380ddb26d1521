// Package bench repeats the experiments of Bouajjani, Enea, Román-Calvo, PLDI
// 2023, section 7: five database applications, explored at every pair of levels
// that the paper measures.
package bench

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"github.com/txmc/txmc/bench/client"
	"github.com/txmc/txmc/bench/courseware"
	"github.com/txmc/txmc/bench/shoppingcart"
	"github.com/txmc/txmc/bench/tpcc"
	"github.com/txmc/txmc/bench/twitter"
	"github.com/txmc/txmc/bench/wikipedia"
)

// Apps are the five applications, by name.
func Apps() []*client.App {
	return []*client.App{courseware.App(), shoppingcart.App(), tpcc.App(), twitter.App(), wikipedia.App()}
}

// Load reads the clients of the applications: fsys has a directory for each of
// them, with the initial rows in database and the clients in caseN. Applications
// without a directory are left out.
func Load(fsys fs.FS, apps []*client.App) ([]*client.Program, error) {
	programs, err := load(fsys, fsys, apps)
	if err == nil && len(programs) == 0 {
		err = errors.New("no clients: a directory APP/caseN with files threadK.in is needed for at least one of the applications " + names(apps))
	}
	return programs, err
}

// load takes the initial rows from another place than the clients.
func load(fsys, databases fs.FS, apps []*client.App) ([]*client.Program, error) {
	var programs []*client.Program
	for _, app := range apps {
		entries, err := fs.ReadDir(fsys, app.Name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("clients of %s: %w", app.Name, err)
		}
		rows, err := client.ReadDatabase(databases, app.Name+"/database", app)
		if err != nil {
			return nil, err
		}
		for _, name := range cases(entries) {
			c, err := client.Read(fsys, app.Name+"/"+name)
			if err != nil {
				return nil, err
			}
			p, err := client.Bind(app, rows, c)
			if err != nil {
				return nil, err
			}
			programs = append(programs, p)
		}
	}
	return programs, nil
}

// cases lists the directories caseN by N.
func cases(entries []fs.DirEntry) []string {
	number := func(name string) int {
		n, err := strconv.Atoi(strings.TrimPrefix(name, "case"))
		if err != nil {
			return -1
		}
		return n
	}
	var list []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "case") && number(e.Name()) >= 0 {
			list = append(list, e.Name())
		}
	}
	slices.SortFunc(list, func(a, b string) int { return number(a) - number(b) })
	return list
}

func names(apps []*client.App) string {
	var list []string
	for _, a := range apps {
		list = append(list, a.Name)
	}
	return strings.Join(list, ", ")
}
