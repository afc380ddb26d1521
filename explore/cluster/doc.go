// Package cluster explores a program on many machines. What is left of an exploration is a
// list of subtrees (dpor.Frontier). Some of these make a task. A task goes through a work
// queue of NATS JetStream to a worker. One result comes back: what the worker has counted,
// found and left.
//
//	coordinator   txmc explore ./app --cluster=URL: a [Cluster], which keeps a ledger
//	worker        txmc worker --cluster=URL: a [Worker], which runs harnesses
//	server        NATS with JetStream; or one in this process, with workers: embedded
//
// A task counts exactly once. The ledger alone says what has been counted: it takes a
// result whole, if its task is open, and closes the task in the same step; it drops every
// other one. The queue may deliver a task twice, a worker may be killed in the middle, the
// server may forget everything: that costs time, and never a count. The ledger is as
// durable as its checkpoint file. Any txmc explore can resume this file, with a cluster or
// without.
//
// docs/cluster.md describes it for users, with what was measured.
package cluster
