package innodb

import "github.com/txmc/txmc/isolation/innodb/mariadb"

// Random programs are those that run on real servers.

var (
	levelNames   = mariadb.Levels
	generate     = mariadb.Generate
	someFeatures = mariadb.Mix
)
