package transcript

import (
	"context"
	"io"
	"time"
)

// Options are the transcripts to play, and the program to play them against: Binary or Serve.
type Options struct {
	Glob string   // the transcripts, e.g. "testdata/*.txtar"
	Args []string // precede a transcript's own: the persona
	Env  []string // NAME=value, in addition to the harness's; a transcript's own override them
	// Binary is a program to start.
	Binary string
	// Again says that the transcripts are played in process, too. With -short, Binary plays only those that need a process.
	Again bool
	// Serve plays in process: it is the program's main function. It reads its folder from PWD
	// in env, ends when ctx does, which replaces every signal, and returns the exit code.
	// Transcripts that kill the program are skipped.
	Serve func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int
	Probe Probe
	// Confines reports that the program can confine commands on this machine.
	Confines bool
	Limit    time.Duration // for one transcript; 0: two minutes
}

// A Probe is a harmless request and its answer, which follows all pending output of the program.
type Probe struct {
	Send string
	Want []string // written like expected lines
}

const (
	defaultLimit = 2 * time.Minute
	// idle is the silence after which -update assumes that a program waits. Tests never depend on it.
	idle = time.Second
)
