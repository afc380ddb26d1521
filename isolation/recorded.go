package isolation

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Levels of recorded histories alone. They are not explored.
//
// The session guarantees are those of Terry et al., "Session guarantees for weakly consistent
// replicated data", PDIS 1994, as axioms like those of the other levels: see
// isolation/reference. UA and PSI are RA and CC with one more rule: of two transactions that
// write the same variable, one sees the other (Cerone, Bernardi, Gotsman, CONCUR 2015; Sovran
// et al., "Transactional storage for geo-replicated systems", SOSP 2011).
//
// SSER, SSI and LIN know when transactions were called and when they returned. One that
// returned before another was called comes before it, and the other sees it (Papadimitriou,
// JACM 1979; Daudjee and Salem, "Lazy database replication with snapshot isolation", VLDB
// 2006; Herlihy and Wing, TOPLAS 1990). With session order SI is strong session SI.

// Recorded reports whether it is a level of recorded histories alone.
func (l Level) Recorded() bool { return descriptions[l].recorded }

// Timeless is the level without real time. realTime reports whether l has it.
func (l Level) Timeless() (base Level, realTime bool) {
	switch l {
	case SSI:
		return SI, true
	case SSER, LIN:
		return SER, true
	}
	return l, false
}

// RecordedLevels are the levels that are for recorded histories alone.
func RecordedLevels() (list []Level) {
	for l := range descriptions {
		if descriptions[l].recorded {
			list = append(list, Level(l))
		}
	}
	return list
}

// strongSession is what people call SI with session order.
var strongSession = []string{"strong session snapshot isolation", "strong session si"}

// ParseRecorded is [ParseList] for recorded histories, which have levels of their own; "all"
// stands for the six that others have too.
func ParseRecorded(list string) ([]Level, error) {
	var levels []Level
	for name := range strings.SplitSeq(list, ",") {
		said := spoken(strings.TrimSpace(name))
		more := []Level{}
		for _, l := range RecordedLevels() {
			if descriptions[l].named(l, said) {
				more = append(more, l)
			}
		}
		if slices.Contains(strongSession, said) {
			more = append(more, SI)
		}
		if len(more) == 0 {
			var err error
			var unknown *UnknownLevelError
			if more, err = ParseList(name); errors.As(err, &unknown) {
				return nil, &UnknownRecordedError{UnknownLevelError: *unknown}
			} else if err != nil {
				return nil, err
			}
		}
		for _, l := range more {
			if !slices.Contains(levels, l) {
				levels = append(levels, l)
			}
		}
	}
	return levels, nil
}

// UnknownRecordedError says that no level of recorded histories has that name.
type UnknownRecordedError struct{ UnknownLevelError }

// Error lists the names that there are.
func (e *UnknownRecordedError) Error() string {
	var more []string
	for _, l := range RecordedLevels() {
		more = append(more, l.String())
	}
	return fmt.Sprintf("%v; of recorded histories also %s", &e.UnknownLevelError, strings.Join(more, ", "))
}
