package tool

import (
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/tempdir"
	"parley.dev/parley/internal/tool/background"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/snapshot"
	"parley.dev/parley/internal/tool/workspace"
)

// Env is the surroundings of a session's tool calls; it is shared by all of them and not
// changed while they run.
type Env struct {
	// Workspace is what file tools may touch, and where relative paths begin.
	Workspace *workspace.Workspace
	// Spawner starts child processes.
	Spawner *sandbox.Spawner
	// Temp is where files lie that the calls need for a time, such as whole outputs; nil: in the folder for temporary files.
	Temp *tempdir.Folder
	// Copies are protected folders with copies of projects, in which PolicyIn may be all the same; absolute, without symlinks.
	Copies []string
	// Environ is the children's environment, "NAME=value", without secrets.
	Environ []string
	// Searcher answers web searches; nil: there are none.
	Searcher Searcher
	// PrivateNetwork lets Fetch reach loopback, link-local and private addresses.
	PrivateNetwork bool
	// Caches is where confined commands have their caches; nil: nowhere.
	Caches *Caches
	// Snapshots finds out what commands change in files; nil: that is not known.
	Snapshots *snapshot.Taker
	// Background is the session's background commands; nil: it cannot have any.
	Background *background.Commands
	// Shell carries folder and variables from one command to the next; nil: each begins anew.
	Shell *shell.State
	// Tasks is how subagents work here; nil: there are none.
	Tasks *TaskSettings
	// Skills is the skills that there are now, sorted; nil: none are offered.
	Skills func() []skill.Skill
	// Known are the files that the session's model knows; nil: Write overwrites any file.
	Known *KnownFiles
	// Limits are how much of a result models see.
	Limits Limits
	// ZeroOffsets makes the offsets of Read and List count from 0, not from 1.
	ZeroOffsets bool
	// Escalation lets models request that a command of Shell runs outside of the sandbox.
	Escalation bool
}

// firstOffset returns the offset of a file's first line.
func (e *Env) firstOffset() int {
	if e.ZeroOffsets {
		return 0
	}
	return 1
}
