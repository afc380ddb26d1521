package serial

import (
	"math/rand/v2"

	"github.com/txmc/txmc/dpor/swap"
	"github.com/txmc/txmc/program/behaviour"
	"github.com/txmc/txmc/semantics"
)

// Learn gathers accesses from random histories, until several in a row bring
// nothing new. Nothing depends on how many are found but the number of passes.
func Learn(m *swap.Moves, halted func() bool) (*Accesses, error) {
	const enough, most = 12, 400
	s, err := m.Initial()
	if err != nil {
		return nil, err
	}
	defer m.Recycle(s)
	known, news := &Accesses{}, false
	l := &swap.Random{Moves: m, Rand: rand.New(rand.NewPCG(1, 2)), Halted: halted,
		NoteRead: func(t *semantics.Log, x behaviour.VarID) {
			news = news || !known.hasRead(t, x)
			known.read(t, x)
		},
		NoteWrites: func(t *semantics.Log, writes []behaviour.Write) {
			news = news || !known.hasWrites(t, writes)
			known.write(t, writes)
		}}
	for histories, idle := 0, 0; idle < enough && histories < most; histories++ {
		news = false
		if err := l.History(s); err != nil {
			return nil, err
		}
		if idle++; news {
			idle = 0
		}
	}
	return known, nil
}
