// Package replay reads what is needed to run a session again with the answers that its models gave then, and compares what its tools do now
// with what they did.
package replay
