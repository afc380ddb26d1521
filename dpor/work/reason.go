package work

// Reason says why an exploration is not complete; "" when it is.
type Reason string

const (
	// ByViolation: it stopped at the first violation, as Options.All is false.
	ByViolation Reason = "violation"
	// ByTimeout: the context's deadline passed.
	ByTimeout Reason = "timeout"
	// ByInterrupt: the context was cancelled.
	ByInterrupt Reason = "interrupt"
	// ByMaxHistories: Options.MaxHistories was reached.
	ByMaxHistories Reason = "max-histories"
	// ByInterruptions: there are executions with more interruptions of sessions than were asked for.
	ByInterruptions Reason = "interruptions"
	// BySchedules: on a real server, there are more schedules than were asked for.
	BySchedules Reason = "schedules"
	// ByBound: Options.Bound was reached.
	ByBound Reason = "bound"
	// ByPart: it is a part, and has had its time or its calls.
	ByPart Reason = "part"
	// ByCaller: the caller stopped taking histories.
	ByCaller Reason = "caller"
	// ByError: the program cannot be explored.
	ByError Reason = "error"
)
