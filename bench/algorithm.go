package bench

import (
	"strings"

	"github.com/txmc/txmc/dpor"
	"github.com/txmc/txmc/isolation"
)

// Algorithm is one of those that the paper compares. Its names say base level and
// filter: CC+SI is explore-ce*(CC, SI).
type Algorithm struct {
	Name  string
	Level isolation.Level
	Base  isolation.Level
	DFS   bool

	Engine  dpor.Engine // "" for explore-ce and explore-ce*
	Workers int         // 0 for one for each core
}

func (a Algorithm) options() dpor.Options {
	return dpor.Options{Level: a.Level, Base: a.Base, DFS: a.DFS, All: true, Engine: a.Engine, Workers: a.Workers}
}

// Algorithms are those of the paper's section 7.3, and CC+PC.
func Algorithms() []Algorithm {
	return []Algorithm{
		{Name: "CC", Level: isolation.CC, Base: isolation.CC},
		{Name: "CC+SI", Level: isolation.SI, Base: isolation.CC},
		{Name: "CC+SER", Level: isolation.SER, Base: isolation.CC},
		{Name: "CC+PC", Level: isolation.PC, Base: isolation.CC},
		{Name: "RA+CC", Level: isolation.CC, Base: isolation.RA},
		{Name: "RC+CC", Level: isolation.CC, Base: isolation.RC},
		{Name: "true+CC", Level: isolation.CC, Base: isolation.True},
		{Name: "DFS(CC)", Level: isolation.CC, DFS: true},
	}
}

// engineAlgorithms compare explore-ce* with the serial engine, and with the choice
// between the two, in one core.
func engineAlgorithms() []Algorithm {
	var list []Algorithm
	for _, l := range []isolation.Level{isolation.SI, isolation.SER} {
		name := strings.ToUpper(l.String())
		list = append(list,
			Algorithm{Name: "CC+" + name, Level: l, Base: isolation.CC, Workers: 1},
			Algorithm{Name: "serial(" + name + ")", Level: l, Engine: dpor.Serial, Workers: 1},
			Algorithm{Name: "auto(" + name + ")", Level: l, Engine: dpor.Auto, Workers: 1})
	}
	return list
}
