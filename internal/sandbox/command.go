package sandbox

import (
	"io"
	"os"
	"time"
)

// Options configure a Spawner.
type Options struct {
	// Grace is the time that an interrupted command has to end by itself, between SIGTERM
	// and SIGKILL. 0 means DefaultGrace.
	Grace time.Duration
	// Sandbox selects what confines commands.
	Sandbox Choice
	// Hidden are folders that confined commands can neither read nor change: the program's own state. They are absolute,
	// with symlinks resolved, and need not exist. What a Policy lists in Writable below one stays open.
	Hidden []string
	// Readable are folders below Hidden that confined commands may read.
	Readable []string
	// Without lists mechanisms that are not used even if they work, by their names in a
	// Report.
	Without []string
	// Temp is a folder for temporary files of this process besides the machine's: folders in it with a name of TempName are removed after
	// the process was killed, too; "": there is none.
	Temp string
}

// DefaultGrace is the Grace of zero Options.
const DefaultGrace = 2 * time.Second

// A Command is a program to start.
type Command struct {
	Path string   // of the program, absolute: PATH is not searched
	Args []string // without the program's own name
	Dir  string   // the working directory, absolute
	Env  []string // the whole environment, "NAME=value"; PWD and the mark of the Spawner are added
	// Stdout and Stderr receive the output. Each is written by one goroutine, or both by the same
	// one if they are the same writer, which preserves the order. nil discards the output. Errors
	// of Write are ignored: they must not stop the command.
	Stdout, Stderr io.Writer
	StdoutEnd      func()   // is called when no more comes on Stdout, at the latest at the end of the command; nil: nothing is
	Stdin          *os.File // nil: an empty input. The caller closes it after Start
	// Files are its descriptors 3, 4 …; the caller closes them after Start.
	// Only an unconfined command can have them.
	Files   []*os.File
	Confine Policy // must be set
}

// An Exit describes how a command ended.
type Exit struct {
	Code        int    // -1: a signal ended it
	Signal      string // that signal, e.g. "SIGKILL"
	Interrupted bool   // the context ended or the Spawner was closed before the command had ended
	Killed      error  // why the Watchdog of the Spawner killed it, see [Spawner.Watch]; nil: it did not. Then it was not Interrupted
	// Left names the programs that still ran when the command had ended by itself, and were killed, such as
	// "node, sleep"; "": there were none. Only Linux shows them, and only of commands that are not confined.
	Left string
}
