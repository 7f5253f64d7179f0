package transcript

import (
	"context"
	"io"
	"time"
)

// Options says which transcripts are played, and against what: Binary or Serve.
type Options struct {
	Glob string   // the transcripts, e.g. "testdata/*.txtar"
	Args []string // before a transcript's own: the persona
	Env  []string // NAME=value, besides what the harness sets; a transcript's own come later and win
	// Binary is a program to start.
	Binary string
	// Serve plays in process: it is the program's main function. It reads its folder from PWD
	// in env, ends when ctx does, which stands for every signal, and returns the exit code.
	// Transcripts that kill the program are skipped.
	Serve func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int
	Probe Probe
	Limit time.Duration // for one transcript; 0: 30 seconds
}

// A Probe is a harmless request and its answer: whatever the program had to say comes before it.
type Probe struct {
	Send string
	Want []string // written like expected lines
}

const (
	defaultLimit = 30 * time.Second
	// idle is how long a program must be silent for -update to believe that it waits. Tests never depend on it.
	idle = time.Second
)
