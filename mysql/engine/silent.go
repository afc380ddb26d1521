package engine

import (
	"io"

	"github.com/sirupsen/logrus"
)

// silent is where the engine logs what it does not expect, such as a deadlock while a trigger
// runs: an answer says it too, and standard error is the user's.
var silent = func() *logrus.Entry {
	l := logrus.New()
	l.SetOutput(io.Discard)
	return logrus.NewEntry(l)
}()
