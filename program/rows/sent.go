package rows

// Sent is a statement as a session sends it, before anything is known of its answer.
type Sent struct {
	Session  string
	SQL      string   // with its parameters
	Args     []string // of the parameters, as SQL writes them; long ones are cut
	At       string   // the line of the application that sends it, as file:line
	Function string   // in which that line is, without its package
}

// Notify calls f, unless it is nil, with the statement that Statement has just noted.
func (h *History) Notify(f func(Sent), sql string, args []string) {
	if f == nil {
		return
	}
	at := h.Place()
	f(Sent{Session: h.Session(), SQL: sql, Args: args, At: at.String(), Function: h.Function()})
}
