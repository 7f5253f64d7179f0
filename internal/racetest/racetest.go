// Package racetest keeps tests out of runs with the race detector in which it can find nothing: it makes a test about five
// times as expensive. make test runs every test without the detector, and make race the others with it. The same tests
// skip themselves with the mutexes of the build tag lockcheck.
package racetest

import "testing"

// The reasons of Skip.
const (
	Sequential     = "the test has one goroutine"
	BuiltProgram   = "the test starts the built program, which has no race detector"
	OtherProcesses = "what the test looks at happens in other processes"
	Memory         = "the detector needs memory of its own"
)

// Skip skips a test if the race detector is on.
func Skip(t testing.TB, reason string) {
	t.Helper()
	if enabled || lockcheck {
		t.Skip(reason + ": make test runs it without the race detector")
	}
}

// Size returns how large the input of a test is: small if the race detector is on, or with -short, as in make test.
func Size(large, small int) int {
	if enabled || testing.Short() {
		return small
	}
	return large
}
