package sandbox

import (
	"io"
	"os"
	"time"
)

// Options are the manners of a Spawner.
type Options struct {
	// Grace is how long an interrupted command may take to end by itself, between SIGTERM
	// and SIGKILL. 0 is DefaultGrace.
	Grace time.Duration
	// Sandbox is what confines commands.
	Sandbox Choice
	// Without are mechanisms that are not used even where they work, by the names that
	// they have in a Report.
	Without []string
}

// DefaultGrace is the Grace of zero Options.
const DefaultGrace = 2 * time.Second

// A Command is a program to start.
type Command struct {
	Path string   // of the program, absolute: PATH is not searched
	Args []string // without the program's own name
	Dir  string   // where it runs, absolute
	Env  []string // "NAME=value", all of it; PWD and the mark of the Spawner are added
	// Stdout and Stderr get what it writes, in Write calls of one goroutine each; of one
	// for both when they are the same, which keeps the order. nil discards. Their errors
	// are ignored: a command is not stopped by those who listen to it.
	Stdout, Stderr io.Writer
	Stdin          *os.File // nil: it reads nothing. The caller closes it, once the command is started
	// Files are its descriptors 3, 4 …; the caller closes them, once the command is started.
	// Only a command that is not confined can have some.
	Files   []*os.File
	Confine Policy // must be set
}

// An Exit is how a command ended.
type Exit struct {
	Code        int    // -1: ended by a signal
	Signal      string // that signal, e.g. "SIGKILL"
	Interrupted bool   // it was told to end, since the context ended or the Spawner was closed
}
