package work

// Subtree is a call of explore, or the rest of one.
type Subtree struct {
	Kind  string  `json:"kind"`            // call, read (writers left to try) or rest (swaps to look at, or sessions to decide on)
	Txns  [][]int `json:"txns,omitempty"`  // in <: the session, then the positions from which its reads are
	Open  bool    `json:"open,omitempty"`  // the last transaction is pending
	Next  int     `json:"next,omitempty"`  // where the rest of a call begins
	Skips []int32 `json:"skips,omitempty"` // of the serial engine: where sessions were skipped
	Taken []int32 `json:"taken,omitempty"` // with symmetry: the decisions before, four numbers each
	Steps []int   `json:"steps,omitempty"` // of the engine States, instead of Txns: the choices
	// For a region: what it consists of, and which cuts are worth trying, by session: how
	// many answers its states have in common, and how many cuts were in vain.
	Inner []Subtree `json:"inner,omitempty"`
	Cuts  []int32   `json:"cuts,omitempty"`
	Vain  []int32   `json:"vain,omitempty"`
}

// The kinds of subtrees that several algorithms have.
const (
	WholeCall = "call"
	RestReads = "read"
	RestOther = "rest"
)

// Describe makes a subtree of itself.
func (sub *Subtree) Describe() Subtree { return *sub }

// Depth is how long the way to the subtree is.
func (sub *Subtree) Depth() int { return len(sub.Txns) + len(sub.Steps) }
