// Package budget counts what work uses, and says when it comes near a limit, and when it has
// reached one. It is counters only: who counts, and what ends, is decided elsewhere.
package budget
