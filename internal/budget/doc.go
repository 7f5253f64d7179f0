// Package budget counts the use of time, tokens, money and calls, and reports when a limit is near
// and when it is reached. It contains counters only: the engine decides what is counted and what
// ends at a limit.
package budget
