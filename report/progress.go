package report

// TypeProgress is the type of a [Progress].
const TypeProgress = "progress"

// Progress says how far an exploration has come, now and then. The share that is
// done is estimated, and is likely to be in its range; 0, and 0 to 1, while nothing
// is known.
type Progress struct {
	Type       string  `json:"type"`   // "progress"
	Schema     int     `json:"schema"` // Schema
	Package    string  `json:"package"`
	Program    string  `json:"program"`
	Iso        string  `json:"iso"`
	Histories  int64   `json:"histories"`
	EndStates  int64   `json:"end_states"`
	Explored   int64   `json:"explored"`
	Violations int64   `json:"violations"`
	Seconds    float64 `json:"seconds"`
	Share      float64 `json:"share"` // of the calls of explore
	ShareLeast float64 `json:"share_least"`
	ShareMost  float64 `json:"share_most"`
}
