package work

// Counts are how much an exploration has found, and how much it has done for it.
type Counts struct {
	Histories  int64 `json:"histories"`  // complete histories that the level allows; under a database's model: outcomes
	EndStates  int64 `json:"end_states"` // complete histories before the filter; Serial needs none
	Explored   int64 `json:"explored"`   // calls of explore; of Serial: of the function serial; of States: states visited
	Blocked    int64 `json:"blocked"`    // calls of explore that led to no complete history
	Violations int64 `json:"violations"` // histories that break an assertion
}

// Totals are the counts of a worker, or of all.
type Totals struct {
	Counts
	Permuted, PermutedViolations int64 // histories and violations, with those that permutations make of them
}

// Add adds other counts.
func (c *Counts) Add(d Counts) {
	c.Histories += d.Histories
	c.EndStates += d.EndStates
	c.Explored += d.Explored
	c.Blocked += d.Blocked
	c.Violations += d.Violations
}

func (c *Counts) subtract(d Counts) {
	c.Add(Counts{-d.Histories, -d.EndStates, -d.Explored, -d.Blocked, -d.Violations})
}

// Negative reports whether one of them is less than nothing.
func (c Counts) Negative() bool {
	return min(c.Histories, c.EndStates, c.Explored, c.Blocked, c.Violations) < 0
}

// AddTried counts the random histories up to one that is a violation.
func (t *Totals) AddTried(number int64) {
	t.Histories += number
	t.EndStates += number
	t.Permuted += number
	t.Violations++
	t.PermutedViolations++
}
