// Package batch runs many tasks, each in a session of its own: what a task is, the entries of its log, the rules for
// attempts and budgets, and the verbs submit, status, results, cancel, retry and remove. They are written once, on the
// port [Store]; package local has the driver for one machine. The package starts no session: package worker does.
package batch
