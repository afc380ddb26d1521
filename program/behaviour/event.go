package behaviour

// EventKind is the kind of an [Event].
type EventKind uint8

const (
	// BeginEvent starts a transaction; Text is its name.
	BeginEvent EventKind = iota
	// WriteEvent writes Val to Var.
	WriteEvent
	// OwnReadEvent reads Val, which the transaction itself wrote to Var: an
	// internal read.
	OwnReadEvent
	// ObserveEvent records Val under the name Text.
	ObserveEvent
	// FailEvent is a failed assertion or a panic.
	FailEvent
	// StatementEvent begins a statement of a Backend; Text is the statement.
	StatementEvent
	// ChangeEvent is where a Backend's statement wrote Val to Var. The write is a
	// WriteEvent before the commit, unless it has been undone or written over.
	ChangeEvent
	// UndoEvent undoes changes: the transaction is rolled back to a savepoint.
	UndoEvent
	// AnswerEvent is what a database has answered to a statement, in words: Text; that of
	// an error is ! and the SQLSTATE, a blank and the message.
	AnswerEvent
	// ShownEvent is what a client has seen of an answer of its database: Val, as text.
	ShownEvent
	// NoticeEvent is a message that a database has sent in the middle of a statement: Text, with its
	// severity, as psql shows it.
	NoticeEvent
	// RefuseEvent says that the session has told its user to try again: see program.Backend.Refused.
	RefuseEvent
	// GaveUpEvent says that what the session has done has failed: see program.Session.Failed.
	GaveUpEvent
)

// Event is a step of a session that needs no answer from the store.
type Event struct {
	Kind EventKind
	Var  VarID
	Val  ValueID
	Loc  Loc
	Text string
}

// Same reports whether two events are the same, wherever they were made. Messages of failures are not
// compared.
func (e Event) Same(o Event) bool {
	return e.Kind == o.Kind && e.Var == o.Var && e.Val == o.Val && (e.Text == o.Text || e.Kind == FailEvent)
}
