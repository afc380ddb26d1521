// Package check explores a client program inside go test: one subtest a level,
// with the counterexample as the failure's message. Users call it through the
// root package.
package check
