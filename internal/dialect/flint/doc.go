// Package flint speaks the Flint Agent Harness Protocol: requests, answers and notifications
// as JSON-RPC without the version member, one line each, over stdio; one process, many
// threads. Its source is the document of that name; what that leaves open is settled in
// docs/flint.md.
package flint
