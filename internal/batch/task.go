package batch

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/budget"
	"parley.dev/parley/internal/lazy"
)

// A Task is a piece of work: a prompt for one session. Its JSON form is a line of a tasks file, with all defaults.
type Task struct {
	ID           string            `json:"id"`
	Prompt       string            `json:"prompt"`
	Repo         string            `json:"repo,omitzero"`         // an absolute path of the worker, or a git URL; "": an empty folder
	Ref          string            `json:"ref,omitzero"`          // a revision of the repository; "": its HEAD
	Dir          string            `json:"dir,omitzero"`          // where the session works, below the repository
	Model        string            `json:"model,omitzero"`        // "": the default of the worker
	Backend      string            `json:"backend,omitzero"`      // the agent that runs the turn; "": the default of the worker
	Sandbox      string            `json:"sandbox"`               // read-only, workspace-write or full-access
	Network      bool              `json:"network,omitzero"`      // commands may use the network
	Instructions string            `json:"instructions,omitzero"` // follow the system prompt
	Verify       []string          `json:"verify,omitempty"`      // commands that have to succeed after the turn
	Budget       Budget            `json:"budget,omitzero"`
	Timeout      Duration          `json:"timeout"`          // of the turn and the verification of an attempt
	Attempts     int               `json:"attempts"`         // the maximum number
	RetryOn      []Cause           `json:"retry_on"`         // sorted
	Labels       map[string]string `json:"labels,omitempty"` // of the workers that may run it
}

// A Cause is why an attempt ended without a result that counts.
type Cause string

// The causes.
const (
	CauseLost     Cause = "lost"     // its worker ended, or was not heard of for too long
	CauseProvider Cause = "provider" // the model could not be called, also after the engine's own retries
	CauseSetup    Cause = "setup"    // there was no repository, disk space, model or sandbox to work with
	CauseVerify   Cause = "verify"   // a verification command failed
	CauseTurn     Cause = "turn"     // the turn failed in another way
	CauseRefused  Cause = "refused"  // the provider's safety system refused the answer
)

// retriable are the causes that a task can be retried on; the first three are the default.
var retriable = []Cause{CauseLost, CauseProvider, CauseSetup, CauseVerify, CauseTurn}

// DefaultRetryOn returns the causes that tasks are retried on unless they name others.
func DefaultRetryOn() []Cause {
	causes := slices.Clone(retriable[:3])
	slices.Sort(causes)
	return causes
}

// Defaults are the values of members that a task does not have.
type Defaults struct {
	Repo, Ref, Model, Backend, Sandbox string
	Dir                                string // that paths of repositories are relative to; "": they have to be absolute
	Budget                             Budget
	Timeout                            time.Duration
	Attempts                           int
}

// The defaults of Defaults.
const (
	DefaultTimeout  = 30 * time.Minute
	DefaultAttempts = 3
	DefaultSandbox  = "workspace-write"
	DefaultQueue    = "default"
)

// The limits of a task.
const (
	maxID           = 100
	maxBatchID      = 64
	maxAttempts     = 100
	maxTimeout      = 7 * 24 * time.Hour
	maxCommands     = 32
	maxCommand      = 16 << 10 // bytes
	maxLabels       = 32
	maxShort        = 4 << 10 // bytes of a path, a URL, a name
	maxInstructions = 256 << 10
)

var (
	idPattern    = lazy.Regexp{Expr: `^[A-Za-z0-9_-]{1,100}$`}
	batchPattern = lazy.Regexp{Expr: `^[A-Za-z0-9_-]{1,64}$`}
	labelPattern = lazy.Regexp{Expr: `^[A-Za-z0-9_.-]{1,64}$`}
)

// CheckBatchID returns an error for what is no id of a batch, or no name of a queue, whose form is the same.
func CheckBatchID(what, id string) error {
	if !batchPattern.Get().MatchString(id) {
		return fmt.Errorf("%s %q: want 1 to %d characters of A-Z, a-z, 0-9, _ and -", what, id, maxBatchID)
	}
	return nil
}

// withDefaults returns t with the values of d where t has none.
func (t Task) withDefaults(d Defaults) Task {
	if t.Repo == "" && d.Repo != "" {
		t.Repo = d.Repo
	}
	if t.Repo != "" && !IsURL(t.Repo) && !filepath.IsAbs(t.Repo) && d.Dir != "" && !strings.HasPrefix(t.Repo, "-") {
		t.Repo = filepath.Join(d.Dir, t.Repo)
	}
	if t.Ref == "" && t.Repo != "" {
		t.Ref = d.Ref
	}
	if t.Model == "" && t.Backend == "" {
		t.Model, t.Backend = d.Model, d.Backend
	}
	if t.Sandbox == "" {
		t.Sandbox = d.Sandbox
	}
	if !t.Budget.Any() {
		t.Budget = d.Budget
	}
	if t.Timeout == 0 {
		t.Timeout = Duration(d.Timeout)
	}
	if t.Attempts == 0 {
		t.Attempts = d.Attempts
	}
	if t.RetryOn == nil {
		t.RetryOn = DefaultRetryOn()
	} else {
		slices.Sort(t.RetryOn)
		t.RetryOn = slices.Compact(t.RetryOn)
	}
	return t
}

// check returns what is wrong with a task that has its defaults.
func (t Task) check() error {
	switch {
	case !idPattern.Get().MatchString(t.ID):
		return fmt.Errorf("id %q: want 1 to %d characters of A-Z, a-z, 0-9, _ and -", t.ID, maxID)
	case strings.TrimSpace(t.Prompt) == "":
		return fmt.Errorf("prompt: it is missing or empty")
	case t.Attempts < 1 || t.Attempts > maxAttempts:
		return fmt.Errorf("attempts: want 1 to %d", maxAttempts)
	case t.Timeout < Duration(time.Second) || t.Timeout > Duration(maxTimeout):
		return fmt.Errorf("timeout: want 1s to %s", maxTimeout)
	case len(t.Instructions) > maxInstructions:
		return fmt.Errorf("instructions: more than %d KiB", maxInstructions>>10)
	case len(t.Verify) > maxCommands:
		return fmt.Errorf("verify: more than %d commands", maxCommands)
	case t.Network && t.Sandbox != "workspace-write" && t.Sandbox != "full-access":
		return fmt.Errorf("network: it needs the sandbox workspace-write")
	}
	for i, command := range t.Verify {
		if strings.TrimSpace(command) == "" || len(command) > maxCommand {
			return fmt.Errorf("verify[%d]: want a command of at most %d KiB", i, maxCommand>>10)
		}
	}
	if err := t.checkSandbox(); err != nil {
		return err
	}
	if err := t.checkRepo(); err != nil {
		return err
	}
	return t.checkLabels()
}

func (t Task) checkSandbox() error {
	switch t.Sandbox {
	case "read-only", "workspace-write", "full-access":
		return nil
	}
	return fmt.Errorf("sandbox %q: want read-only, workspace-write or full-access", t.Sandbox)
}

// checkRepo checks what programs are started with: a value that begins with "-" would be an option of git.
func (t Task) checkRepo() error {
	for _, member := range [][2]string{{"repo", t.Repo}, {"ref", t.Ref}, {"dir", t.Dir}, {"model", t.Model}, {"backend", t.Backend}} {
		name, value := member[0], member[1]
		if len(value) > maxShort || strings.HasPrefix(value, "-") || strings.ContainsFunc(value, isControl) || !utf8.ValidString(value) {
			return fmt.Errorf("%s: want at most %d bytes, without control characters, that do not begin with -", name, maxShort)
		}
	}
	switch {
	case t.Repo == "" && (t.Ref != "" || t.Dir != ""):
		return fmt.Errorf("repo: it is missing, and ref and dir need it")
	case t.Dir != "" && !filepath.IsLocal(t.Dir):
		return fmt.Errorf("dir %q: want a path below the repository", t.Dir)
	case t.Repo != "" && !IsURL(t.Repo) && !strings.HasPrefix(t.Repo, "/"):
		return fmt.Errorf("repo %q: want an absolute path or the URL of a git repository", t.Repo)
	case IsURL(t.Repo):
		return checkURL(t.Repo)
	case t.Repo != "":
		return CheckFolder(t.Repo)
	}
	return nil
}

// CheckFolder returns an error for a path below /proc or /sys, whose files the system makes as they are read: some have
// no end, and most have the state of a process. Symbolic links are the caller's.
func CheckFolder(dir string) error {
	top, _, _ := strings.Cut(strings.TrimPrefix(path.Clean(dir), "/"), "/")
	if top == "proc" || top == "sys" {
		return fmt.Errorf("repo %q: it is a folder of the system, and no folder of files", dir)
	}
	return nil
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// scpForm matches the short form of a URL of ssh: user@machine:path.
var scpForm = lazy.Regexp{Expr: `^[A-Za-z0-9_.-]+@[A-Za-z0-9_.-]+:[^:]`}

// IsURL reports whether a repository is named by a URL, and not by a path.
func IsURL(repo string) bool { return strings.Contains(repo, "://") || scpForm.Get().MatchString(repo) }

// checkURL allows the schemes of git's own transports. A password has no place in a file that is stored and shown.
func checkURL(repo string) error {
	scheme, rest, ok := strings.Cut(repo, "://")
	if !ok {
		return nil // user@machine:path
	}
	if !slices.Contains([]string{"https", "http", "ssh", "git", "file"}, scheme) {
		return fmt.Errorf("repo: the scheme %q is none of https, http, ssh, git and file", scheme)
	}
	authority, _, _ := strings.Cut(rest, "/")
	if user, _, found := strings.Cut(authority, "@"); found && strings.Contains(user, ":") {
		return fmt.Errorf("repo: the URL has a password; use a credential helper of git on the workers")
	}
	return nil
}

func (t Task) checkLabels() error {
	if len(t.Labels) > maxLabels {
		return fmt.Errorf("labels: more than %d", maxLabels)
	}
	for _, name := range slices.Sorted(maps.Keys(t.Labels)) {
		if !labelPattern.Get().MatchString(name) || len(t.Labels[name]) > maxShort {
			return fmt.Errorf("labels: %q is not a name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -, or its value is too long", name)
		}
	}
	for _, cause := range t.RetryOn {
		if !slices.Contains(retriable, cause) {
			return fmt.Errorf("retry_on %q: want lost, provider, setup, verify or turn", cause)
		}
	}
	return nil
}

// Retries reports whether a task is tried again after a cause.
func (t Task) Retries(cause Cause) bool { return slices.Contains(t.RetryOn, cause) }

// Session returns the id of the session of an attempt.
func Session(batch, task string, attempt int) string {
	return fmt.Sprintf("b-%s-%s-%d", batch, task, attempt)
}

// Limits returns what the budget allows an attempt.
func (b Budget) Limits() budget.Limits { return budget.Limits(b) }
