// Package exact is the model of PostgreSQL's concurrency control as the storage of the
// backends of a server. A statement answers, waits and fails as PostgreSQL's would; only
// its time is drawn at random.
//
// A step is what it is in explorations (package isolation/postgres): a statement or the end
// of a transaction, and all that it wakes, until that answers or waits again. Steps take
// turns. A statement that comes is delayed for a while; any one whose delay is over may be
// next. Any of several statements that were woken at once may go on first, and any that
// waits on a cycle may be the victim of a deadlock.
//
// So each history that is served is one of the model, which a server may have too. The odds
// are those of a server that is far busier than the one at hand.
package exact
