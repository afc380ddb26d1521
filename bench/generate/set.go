package generate

import "fmt"

// set is a group of generated clients: of each application, one for each seed.
type set struct {
	name                   string
	sessions, transactions int
	seeds                  map[string][]uint64
}

// The seeds were chosen by trying the first ones in turn. With a chosen seed many
// transactions conflict with others, and the histories of three sessions of three
// transactions can be counted in seconds. The histories of courseware are small enough
// for the weak bases too.
var sets = []set{
	{"clients", 3, 3, map[string][]uint64{
		"courseware":   {5, 27, 29, 30, 60},
		"shoppingCart": {1, 3, 6, 7, 10},
		"tpcc":         {2, 3, 4, 12, 13},
		"twitter":      {1, 2, 5, 6, 9},
		"wikipedia":    {4, 9, 10, 13, 14},
	}},
	{"sessions", 5, 3, map[string][]uint64{
		"tpcc":      {1, 2, 5, 7, 8},
		"wikipedia": {1, 2, 3, 7, 8},
	}},
	{"transactions", 3, 5, map[string][]uint64{
		"tpcc":      {1, 2, 3, 6, 7},
		"wikipedia": {1, 3, 5, 7, 8},
	}},
}

// Files returns the generated client files by their paths below the directory
// data: SET/APP/caseN/threadK.in.
func Files() (map[string]string, error) {
	files := map[string]string{}
	for _, s := range sets {
		for app, seeds := range s.seeds {
			for i, seed := range seeds {
				client, err := Client(app, seed, s.sessions, s.transactions)
				if err != nil {
					return nil, err
				}
				for k, lines := range client {
					files[fmt.Sprintf("%s/%s/case%d/thread%d.in", s.name, app, i+1, k+1)] = File(lines)
				}
			}
		}
	}
	return files, nil
}
