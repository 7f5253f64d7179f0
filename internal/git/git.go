package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/text"
)

// settings keep git from running programs of a repository, or its own in the background, and override settings that change the format of
// patches and lists.
var settings = []string{
	"core.hooksPath=/dev/null", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false", "core.sparseCheckout=false",
	"advice.addEmbeddedRepo=false", "core.quotePath=false", "submodule.recurse=false", "diff.ignoreSubmodules=dirty",
	"status.submoduleSummary=false", "commit.gpgSign=false", "protocol.ext.allow=never",
}

// variables keep git from prompting and from writing more than it has to.
var variables = []string{"LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_PAGER=cat", "GIT_EDITOR=true"}

// offline keeps git from fetching: a repository says by what program missing objects are fetched.
var offline = []string{"GIT_NO_LAZY_FETCH=1", "GIT_ALLOW_PROTOCOL=none"}

// A Runner runs git.
type Runner struct {
	Spawner *sandbox.Spawner
	Environ []string // git's environment; variables that redirect git are left out
}

// A Command is one run of git.
type Command struct {
	Dir      string   // the working directory, absolute
	Args     []string // the verb first
	Settings []string // further ones, "NAME=value"
	Env      []string // further variables
	// Writable are the folders that git may change: absolute. Those that do not exist are left out.
	Writable []string
	// Remote is set for a repository on another machine. Git then has the network, and is not confined: it needs the agents and helpers
	// of the user. It must not be used in a folder of a project.
	Remote bool
	Stdin  *os.File // nil: an empty input
	Limit  int      // of the output, in bytes; 0: there is none
}

// An Error is an error that git reports.
type Error struct {
	Verb string
	Text string // of git, shortened, or else how it ended
	Code int
}

func (e *Error) Error() string { return fmt.Sprintf("git %s: %s", e.Verb, e.Text) }

// ErrTooMuch is the error for an output that is larger than its limit.
var ErrTooMuch = errors.New("git writes too much")

// maxErrorText limits the text of an Error, in bytes.
const maxErrorText = 2000

// Run runs git and returns its output. If git fails, the error is an *Error; if there is no git, it is [program.ErrNotFound].
func (r Runner) Run(ctx context.Context, c Command) ([]byte, error) {
	path, err := program.Find("git")
	if err != nil {
		return nil, err
	}
	var args []string
	for _, setting := range slices.Concat(settings, c.Settings) {
		args = append(args, "-c", setting)
	}
	out, problem := &output{limit: c.Limit}, &output{limit: 64 << 10}
	process, err := r.Spawner.Start(ctx, sandbox.Command{
		Path: path, Args: append(args, c.Args...), Dir: c.Dir, Env: r.environ(c), Stdin: c.Stdin,
		Stdout: out, Stderr: problem, Confine: r.policy(c),
	})
	if err != nil {
		return nil, err
	}
	exit := process.Wait()
	switch {
	case ctx.Err() != nil:
		return nil, context.Cause(ctx)
	case exit.Killed != nil:
		return nil, fmt.Errorf("git was killed: %w", exit.Killed)
	case exit.Code != 0:
		return nil, &Error{Verb: c.Args[0], Text: refusal(problem.String(), exit), Code: exit.Code}
	case out.over:
		return nil, ErrTooMuch
	}
	return out.Bytes(), nil
}

// policy returns how c is confined: as far as the machine can.
func (r Runner) policy(c Command) sandbox.Policy {
	full := sandbox.Policy{Level: sandbox.Full}
	if c.Remote {
		return full
	}
	confined := sandbox.Policy{Level: sandbox.ReadOnly, GitFolders: true}
	for _, folder := range c.Writable {
		if real, err := filepath.EvalSymlinks(folder); err == nil {
			confined.Level, confined.Writable = sandbox.WorkspaceWrite, append(confined.Writable, real)
		}
	}
	if r.Spawner.Check(confined) == nil {
		return confined
	}
	confined.Network = true // which cannot be denied everywhere
	if r.Spawner.Check(confined) == nil {
		return confined
	}
	return full
}

// environ returns the environment of git: the Runner's, but for what would lead git elsewhere or make it wait.
func (r Runner) environ(c Command) []string {
	environ := slices.DeleteFunc(program.Environ(r.Environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") && !c.Remote || redirects(entry) || strings.HasPrefix(entry, "LC_ALL=") || strings.HasPrefix(entry, "LANGUAGE=")
	})
	environ = append(environ, variables...)
	if !c.Remote {
		environ = append(environ, offline...)
	}
	return append(environ, c.Env...)
}

// redirects reports whether a variable leads git to another repository. The rest of what a user sets for git, such as GIT_SSH_COMMAND,
// is for repositories on other machines.
func redirects(entry string) bool {
	name, _, _ := strings.Cut(entry, "=")
	switch name {
	case "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_COMMON_DIR", "GIT_NAMESPACE":
		return true
	}
	return false
}

// refusal returns the error message of git, shortened, or else how git ended.
func refusal(stderr string, exit sandbox.Exit) string {
	message := strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD"))
	if message == "" {
		return strings.TrimSpace(fmt.Sprintf("it ended with code %d %s", exit.Code, exit.Signal))
	}
	return text.Clip(message, maxErrorText, " …")
}

// output is a buffer that drops what is over a limit.
type output struct {
	bytes.Buffer
	limit int // 0: there is none
	over  bool
}

func (o *output) Write(p []byte) (int, error) {
	if o.limit > 0 && o.Len()+len(p) > o.limit {
		o.over = true
		return len(p), nil
	}
	return o.Buffer.Write(p)
}
