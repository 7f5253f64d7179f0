// Package racetest keeps tests of large inputs out of runs with the race detector. Such a test works in one goroutine,
// so that the detector has nothing to find, and takes ten times as long with it. make test runs the packages that
// import this one a second time, without the detector.
package racetest

import "testing"

// SkipLarge skips a test of a large input if the race detector is on.
func SkipLarge(t *testing.T) {
	t.Helper()
	if enabled {
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
