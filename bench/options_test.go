package bench

import (
	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// optionsAt explores a level over the strongest base.
func optionsAt(level isolation.Level) dpor.Options {
	return dpor.Options{Level: level, Base: level.Base(), All: true}
}
