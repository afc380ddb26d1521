package program

import "os"

// Applications keep their database in a package-level variable. All sessions have one such variable, and each has a database
// of its own: so the variable is set whenever another session goes on.

// Always calls f now, and whenever the session goes on after others have run. Package-level variables that f sets are as if the
// session had a process of its own; f does nothing else. It is for variables that lead to the database, in code that
// takes its database from there.
func (s *Session) Always(f func()) {
	r := s.enter("Session.Always")
	r.always = append(r.always, f)
	f()
}

// Environment sets variables of the process's environment now, and whenever the session goes on after others have run, as if the
// session had a process of its own. It is for code that takes the address of its database from there.
func (s *Session) Environment(variables map[string]string) {
	c := s.enter("Session.Environment").client
	for name := range variables {
		c.outside.owned.Store(name, true)
	}
	s.Always(func() {
		for name, text := range variables {
			os.Setenv(name, text)
		}
	})
}

// goesOn makes variables those of the run.
func (r *run) goesOn() {
	for _, f := range r.always {
		f()
	}
}
