package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"

	"parley.dev/parley/internal/sandbox"
)

// A git runs the git program in one folder.
type git struct {
	keeper *Keeper
	dir    string
	env    []string // besides the Keeper's
}

// manners keep git from running programs of the repository or of its own in the background,
// and from reading settings that would change what patches look like.
var manners = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.sparseCheckout=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.quotePath=false",
}

// A gitError is git's own refusal.
type gitError struct {
	verb, text string
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %s", e.verb, e.text) }

// with is g with other values of some variables.
func (g git) with(env ...string) git {
	kept := slices.Clone(g.env)
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		kept = slices.DeleteFunc(kept, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	g.env = append(kept, env...)
	return g
}

// run is what git writes to stdout. What it refuses is a *gitError.
func (g git) run(ctx context.Context, args ...string) (string, error) {
	path, err := exec.LookPath("git")
	if err != nil {
		return "", errors.New("isolation needs the git program, which is not installed")
	}
	var out, problem bytes.Buffer
	process, err := g.keeper.spawner.Start(ctx, sandbox.Command{
		Path: path, Args: slices.Concat(manners, args), Dir: g.dir, Env: slices.Concat(g.keeper.environ, g.env),
		Stdout: &out, Stderr: &problem, Confine: sandbox.Policy{Level: sandbox.Full},
	})
	if err != nil {
		return "", err
	}
	exit := process.Wait()
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if exit.Code != 0 {
		return "", &gitError{verb: args[0], text: refusal(problem.String(), exit)}
	}
	return out.String(), nil
}

// line is run for an answer of one line.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	text, err := g.run(ctx, args...)
	return strings.TrimRight(text, "\n"), err
}

// refusal is what git said, shortened, without the words that only mark it.
func refusal(text string, exit sandbox.Exit) string {
	text = strings.TrimSpace(strings.ToValidUTF8(text, "\uFFFD"))
	if text == "" {
		return fmt.Sprintf("it ended with code %d %s", exit.Code, exit.Signal)
	}
	const most = 2000
	if len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + " …"
	}
	return text
}

// plainEnviron is an environment without what would point git elsewhere, or make it ask.
func plainEnviron(environ []string) []string {
	plain := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "LC_ALL=") || strings.HasPrefix(entry, "LANGUAGE=")
	})
	return append(plain, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat", "GIT_EDITOR=true")
}
