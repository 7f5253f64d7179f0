// Package faults holds the built program to what it promises when something goes wrong: each
// dialect, in each phase of a turn, meets each fault. table_test.go lists which of these cells
// there are, and why the others are not; docs/faults.md describes what each fault leads to.
//
// One file is one dialect (flint_test.go), or one group of faults (model_test.go). What is
// looked at afterwards, whatever happened, is in check_test.go.
package faults

import (
	"os"
	"testing"

	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/internal/transcript"
)

// atOnce is how many cells run side by side, on any number of processors: they wait more than
// they work.
const atOnce = 12

func TestMain(m *testing.M) {
	if agent.Play() {
		return
	}
	transcript.AtOnce(atOnce)
	os.Exit(transcript.RemoveBuild(m.Run()))
}
