package verify

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/program"
	"parley.dev/parley/internal/sandbox"
)

// A Runner runs the commands of a plan.
type Runner struct {
	Spawner *sandbox.Spawner
	Environ []string
	Confine sandbox.Policy
	Dir     string // where they run, absolute
	// Logs is the folder for what they write, and Log the beginning of the files' names; "":
	// it is not kept.
	Logs, Log string
	// Began and Ended are called for each command; nil: they are not reported.
	Began func(name string)
	Ended func(event.VerificationCommand)
}

// maxLog is how much of a command's output is kept, the last part, in bytes.
const maxLog = 8 << 20

// Caps of a preview.
const (
	previewLines = 20
	previewChars = 4000
)

var errTooLong = errors.New("the command took too long")

// Attempt runs all commands in order, also those after one that failed. When ctx ends the
// rest is not run, and the attempt has failed.
func (r Runner) Attempt(ctx context.Context, number int, commands []Command) event.VerificationAttempt {
	a := event.VerificationAttempt{
		Attempt: number, Status: event.VerificationPassed, Started: time.Now().UnixMilli(), Commands: []event.VerificationCommand{},
	}
	for i, c := range commands {
		if ctx.Err() != nil {
			break
		}
		if r.Began != nil {
			r.Began(c.Name)
		}
		done := r.run(ctx, c, fmt.Sprintf("%s.a%d-%d-%s.log", r.Log, number, i+1, slug(c.Name)))
		if r.Ended != nil {
			r.Ended(done)
		}
		a.Commands = append(a.Commands, done)
		if done.ExitCode != 0 && !c.Optional {
			a.Status, a.Error = event.VerificationFailed, "One or more verification commands failed."
		}
	}
	if ctx.Err() != nil {
		a.Status, a.Error = event.VerificationFailed, "The verification was interrupted."
	}
	a.Ended = time.Now().UnixMilli()
	return a
}

// Failed returns the names of the commands that an attempt failed by.
func Failed(a event.VerificationAttempt) []string {
	var names []string
	for _, c := range a.Commands {
		if c.ExitCode != 0 && !c.Optional {
			names = append(names, c.Name)
		}
	}
	return names
}

func (r Runner) run(ctx context.Context, c Command, log string) event.VerificationCommand {
	ctx, cancel := context.WithTimeoutCause(ctx, cmp.Or(c.Limit, DefaultLimit), errTooLong)
	defer cancel()
	done := event.VerificationCommand{Name: c.Name, Command: c.Line, Optional: c.Optional}
	var stdout, stderr last
	start := time.Now()
	exit, err := r.spawn(ctx, c, &stdout, &stderr)
	done.Ran = event.Duration(time.Since(start))
	done.ExitCode = exitCode(exit, err)
	done.TimedOut = errors.Is(context.Cause(ctx), errTooLong) && (exit.Interrupted || err != nil)
	if exit.Killed != nil {
		fmt.Fprintln(&stderr, "the command was killed:", exit.Killed)
	}
	if err != nil && ctx.Err() == nil {
		fmt.Fprintln(&stderr, "the command could not be run:", err)
	}
	output := append(stdout.bytes(), stderr.bytes()...)
	done.Preview = preview(output)
	if len(output) > 0 && r.Logs != "" {
		path := filepath.Join(r.Logs, log)
		if err := os.MkdirAll(r.Logs, 0o700); err == nil && os.WriteFile(path, output, 0o600) == nil {
			done.Artifact = path
		}
	}
	return done
}

func (r Runner) spawn(ctx context.Context, c Command, stdout, stderr *last) (sandbox.Exit, error) {
	path, args := "/bin/sh", []string{"-c", c.Line}
	if bash, err := program.Find("bash"); err == nil {
		path, args = bash, []string{"-lc", c.Line}
	}
	process, err := r.Spawner.Start(ctx, sandbox.Command{
		Path: path, Args: args, Dir: r.Dir, Env: r.Environ, Stdout: stdout, Stderr: stderr, Confine: r.Confine,
	})
	if err != nil {
		return sandbox.Exit{}, err
	}
	return process.Wait(), nil
}

// exitCode is 128 and the number of the signal, where one ended the command, and never 0
// for a command that did not end by itself.
func exitCode(exit sandbox.Exit, err error) int {
	const cannotRun, killed = 126, 128
	switch {
	case err != nil:
		return cannotRun
	case exit.Signal != "":
		return killed + signalNumber(exit.Signal)
	case exit.Code <= 0 && exit.Interrupted:
		return killed + int(syscall.SIGTERM)
	}
	return exit.Code
}

// A last keeps the end of what is written to it.
type last struct {
	buffer bytes.Buffer
}

func (l *last) Write(p []byte) (int, error) {
	n, _ := l.buffer.Write(p) // never fails
	if more := l.buffer.Len() - 2*maxLog; more > 0 {
		l.buffer.Next(more + maxLog)
	}
	return n, nil
}

func (l *last) bytes() []byte {
	all := l.buffer.Bytes()
	return all[max(0, len(all)-maxLog):]
}

// preview returns the end of an output, valid UTF-8.
func preview(output []byte) string {
	text := strings.TrimSpace(strings.ToValidUTF8(string(output[max(0, len(output)-4*previewChars):]), "\uFFFD"))
	lines := strings.Split(text, "\n")
	text = strings.Join(lines[max(0, len(lines)-previewLines):], "\n")
	if extra := utf8.RuneCountInString(text) - previewChars; extra > 0 {
		text = string([]rune(text)[extra:])
	}
	return text
}

// slug returns a name as a part of a file's name.
func slug(name string) string {
	plain := strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-':
			return r
		case r >= 'A' && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '-'
	}, name)
	plain = strings.Trim(plain[:min(len(plain), 40)], "-")
	return cmp.Or(plain, "command")
}
