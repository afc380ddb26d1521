// Package program is what a client program is: sessions that run transactions
// against shared variables, written as ordinary Go.
//
// A user declares a [Program] inside an Explore function. A [Client] calls that
// function afresh for every run of a session. It runs the session as a coroutine
// (iter.Pull) and records what the session does in a behaviour tree: see package behaviour. A
// session is deterministic: its next operation is a function of the values that its
// reads have returned so far. Variables and values are interned to small integers at
// this border; no package above this one sees a Go value, a key or
// a function of the user.
//
// Terms: Bouajjani, Enea, Román-Calvo, PLDI 2023, section 2 (programs,
// sessions, transactions, events).
package program
