// Package behaviour is what explorations see of a client program: the behaviour tree of each
// session, in numbers. It runs no client code.
//
// A [Node] is a point of a session's tree: an operation that waits for an answer, or the end of a
// transaction or of the session, with the events before it. Variables, values and source lines
// are integers: [VarID], [ValueID] and [Loc]. [Values] and [Locations] are the tables behind
// these numbers. A [Query] is a statement on a table. Answers that are no values are [Done],
// [NoRow] and those that stand for a [DBError].
//
// A broken assertion is a [Failure] of a history. An [Error] says why a program cannot be explored.
//
// Terms: Bouajjani, Enea, Román-Calvo, PLDI 2023, section 2 (programs, sessions, transactions,
// events).
package behaviour
