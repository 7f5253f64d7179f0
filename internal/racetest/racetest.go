// Package racetest keeps tests out of runs with the race detector in which it can find nothing, or nothing that cheaper
// tests do not show: it makes a test about five times as expensive. make test runs the tests that skip themselves a
// second time, without the detector. The same tests skip themselves with the mutexes of the build tag lockcheck.
package racetest

import (
	"os"
	"testing"
)

// The reasons of Skip.
const (
	Sequential     = "the test has one goroutine"
	BuiltProgram   = "the test starts the built program, which has no race detector"
	OtherProcesses = "what the test looks at happens in other processes"
	SameGoroutines = "other tests of the package have the same goroutines, and less to do"
)

// Skip skips a test if the race detector is on. PARLEY_RACE=all, as in make race, runs it, and PARLEY_RACE=goroutines, as in
// .ci/run, if the reason is SameGoroutines.
func Skip(t testing.TB, reason string) {
	t.Helper()
	which := os.Getenv("PARLEY_RACE")
	if (enabled || lockcheck) && which != "all" && (which != "goroutines" || reason != SameGoroutines) {
		t.Skip(reason + ": make test runs it without the race detector")
	}
}

// SkipLarge skips a test of a large input in one goroutine if the race detector is on.
func SkipLarge(t testing.TB) {
	t.Helper()
	if enabled || lockcheck {
		t.Skip("a large input in one goroutine: make test runs it without the race detector")
	}
}

// Size returns how large the input of a test is: small if the race detector is on.
func Size(large, small int) int {
	if enabled {
		return small
	}
	return large
}
