package model_test

import "flag"

// The tests of package mysql have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements")
