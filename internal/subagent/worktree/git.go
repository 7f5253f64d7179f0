package worktree

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/text"
)

// A git runs the git program in one folder.
type git struct {
	manager *Manager
	dir     string
	env     []string // added to the Manager's
}

// safeConfig keeps git from running programs of the repository, or its own in the background,
// and overrides settings that change the format of patches.
var safeConfig = []string{
	"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "gc.auto=0", "-c", "maintenance.auto=false",
	"-c", "core.sparseCheckout=false", "-c", "advice.addEmbeddedRepo=false", "-c", "core.quotePath=false",
}

// A gitError is an error that git reports.
type gitError struct {
	verb, text string
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %s", e.verb, e.text) }

// with returns g with other values of some variables.
func (g git) with(env ...string) git {
	others := slices.Clone(g.env)
	for _, entry := range env {
		name, _, _ := strings.Cut(entry, "=")
		others = slices.DeleteFunc(others, func(old string) bool { return strings.HasPrefix(old, name+"=") })
	}
	g.env = append(others, env...)
	return g
}

// run runs git and returns its stdout. If git fails the error is a *gitError.
func (g git) run(ctx context.Context, args ...string) (string, error) {
	path, err := program.Find("git")
	if err != nil {
		return "", errors.New("isolation needs the git program, which is not installed")
	}
	var out, problem bytes.Buffer
	process, err := g.manager.spawner.Start(ctx, sandbox.Command{
		Path: path, Args: slices.Concat(safeConfig, args), Dir: g.dir, Env: slices.Concat(program.Environ(g.manager.environ), g.env),
		Stdout: &out, Stderr: &problem, Confine: sandbox.Policy{Level: sandbox.Full},
	})
	if err != nil {
		return "", err
	}
	exit := process.Wait()
	if err := context.Cause(ctx); err != nil {
		return "", err
	}
	if exit.Killed != nil {
		return "", fmt.Errorf("git was killed: %w", exit.Killed)
	}
	if exit.Code != 0 {
		return "", &gitError{verb: args[0], text: refusal(problem.String(), exit)}
	}
	return out.String(), nil
}

// line is run for a result of one line.
func (g git) line(ctx context.Context, args ...string) (string, error) {
	text, err := g.run(ctx, args...)
	return strings.TrimRight(text, "\n"), err
}

// refusal returns the error message of git, shortened, or else how git ended.
func refusal(stderr string, exit sandbox.Exit) string {
	message := strings.TrimSpace(strings.ToValidUTF8(stderr, "\uFFFD"))
	if message == "" {
		return fmt.Sprintf("it ended with code %d %s", exit.Code, exit.Signal)
	}
	return text.Clip(message, 2000, " …")
}

// plainEnviron returns environ without variables that redirect git, and with those that keep it
// from prompting.
func plainEnviron(environ []string) []string {
	plain := slices.DeleteFunc(slices.Clone(environ), func(entry string) bool {
		return strings.HasPrefix(entry, "GIT_") || strings.HasPrefix(entry, "LC_ALL=") || strings.HasPrefix(entry, "LANGUAGE=")
	})
	return append(plain, "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0", "GIT_NO_LAZY_FETCH=1", "GIT_PAGER=cat", "GIT_EDITOR=true")
}
