// Package soak keeps one process busy for long: a thousand sessions, fifty of them active at
// any time, with answers that stream, tools that run, and conversations that are summed up or
// cleared. It measures from outside, over /proc, whether memory and files stay flat.
//
// TestConnections has a host instead: connections are opened and cut by the thousand, while a session works.
// TestClients has one with a thousand sessions and a hundred clients of three protocols, and a back end.
//
// "make soak" runs all of them, each for 20 minutes; the check of a release for 10 seconds, where it only shows that
// all of it works. From a minute on growth is a failure.
package soak

import (
	"testing"

	"parley.dev/parley/e2e/agent"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) {
	if agent.Play() {
		return
	}
	transcript.Main(m)
}
