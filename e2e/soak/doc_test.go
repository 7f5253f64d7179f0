// Package soak keeps one process busy for long: a thousand sessions, fifty of them active at
// any time, with answers that stream, tools that run, and conversations that are summed up or
// cleared. It measures from outside, over /proc, whether memory and files stay flat.
//
// It takes 10 s in the tests. PARLEY_SOAK=20m, or "make soak", takes that long for each
// dialect, and then growth is a failure.
package soak

import (
	"os"
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) {
	os.Exit(transcript.RemoveBuild(m.Run()))
}
