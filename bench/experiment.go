package bench

// The experiments: (a) all applications, (b) more and more sessions, (c) more and
// more transactions per session.
const (
	Applications = "applications"
	Sessions     = "sessions"
	Transactions = "transactions"
)
