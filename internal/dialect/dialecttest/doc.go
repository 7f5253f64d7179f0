// Package dialecttest is what the tests of dialects share: folders, processes without a
// process, clients, and what holds schemas, toolsets and transcripts to their promises. It
// knows no dialect.
package dialecttest

import (
	"context"
	"io"
)

// A Tester is what a testing.TB and a *rapid.T have in common.
type Tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// A Server is a dialect's command without a process; see transcript.Options.
type Server = func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int
