package stores

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/stream/natstest"
)

// run runs the program and returns its output and exit code.
func run(t *testing.T, p *stage.Place, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := p.Command(t, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errs.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errs.String(), 0
}

// TestCommands runs commands one after the other against a server. In what they need, U is its address.
func TestCommands(t *testing.T) {
	t.Parallel()
	server := natstest.Start(t)
	p := stage.NewHostPlace(t)
	p.Plays(t, "text done\n")
	open := filepath.Join(p.Home, "open.creds") // others can read it
	if err := os.WriteFile(open, []byte("geheim"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		env, args string
		code      int
		want      string // in standard output, or in standard error if the code is not 0
	}{
		{"", "sessions list --store U", 1, "parley store init"},
		{"", "run hi --store U", 1, "parley store init"},
		{"", "flint --store U", 1, "parley store init"},
		{"", "serve --store U", 1, "parley store init"},
		{"", "scaiflux serve --store U", 1, "parley store init"},
		{"", "store init --store U --replicas 2", 2, "--replicas 2"},
		{"", "store init --store U --shards 65", 2, "--shards 65"},
		{"", "store init", 1, "a folder of files"},
		{"", "store init --store U --shards 2 --json", 0, `"shards": 2`},
		{"PARLEY_STORE=U", "store init --shards 2", 0, "namespace parley"},
		{"PARLEY_STORE=U", "store init --shards 3", 1, "2 shards"},
		{"PARLEY_STORE=U", "store check --json", 0, `"ok": true`},
		{"PARLEY_STORE=nats://127.0.0.1:1", "store check", 1, "the store has problems"},
		{"PARLEY_STORE=nats://127.0.0.1:1", "store check --json", 1, ""},
		{"PARLEY_STORE=nats://127.0.0.1:1", "sessions list", 1, "127.0.0.1:1: connect: connection refused"},
		{"PARLEY_STORE=nats://127.0.0.1:1", "run hi --store U", 0, "done"},
		{"PARLEY_STORE=U", "sessions list", 0, "hi"},
		{"PARLEY_STORE=U", "sessions list --store file: --json", 0, `"sessions": []`},
		{"PARLEY_STORE=U", "run again --resume latest", 0, "done"},
		{"PARLEY_STORE=U", "store info --json", 0, `"sessions": 1`},
		{"PARLEY_STORE=U", "store reindex --json", 0, `"written": 0`},
		{"PARLEY_STORE=U", "store gc --json", 0, `"finished": 0`},
		{"PARLEY_STORE=U", "sessions rm --older soon", 2, "--older"},
		{"PARLEY_STORE=U", "sessions rm --older 1d", 0, ""},
		{"PARLEY_STORE=U", "sessions copy --all --to file:copy", 0, "copied"},
		{"PARLEY_STORE=U", "sessions copy --all --to file:copy --json", 0, `"status":"same"`},
		{"", "sessions list --store file:copy", 0, "hi"},
		{"", "sessions copy --all", 2, "different stores"},
		{"PARLEY_STORE=U", "sessions copy --all --to U", 2, "same store"},
		{"PARLEY_STORE=U", "sessions copy --to file:copy", 2, "ID is missing"},
		{"PARLEY_STORE=U", "sessions copy none --to file:copy", 1, "not all sessions"},
		{"PARLEY_STORE=U", "sessions rm --older 1ns", 0, "-"},
		{"PARLEY_STORE=U", "sessions list --json", 0, `"sessions": []`},
		{"PARLEY_STORE=nats://ann:geheim@127.0.0.1", "sessions list", 2, "must not contain a user or a password"},
		{"", "sessions list --store nats://ann:geheim@127.0.0.1", 2, "must not contain a user or a password"},
		{"", "flint --store nats://ann:geheim@127.0.0.1", 2, "must not contain a user or a password"},
		{"", "sessions list --store U --store-creds " + open, 1, "chmod 600"},
		{"", "sessions list --store-creds " + open, 2, "needs a store"},
		{"", "store config --store nats://h:4333/team --route other:6222", 0, "sync_interval: always"},
	} {
		expand := func(text string) string { return strings.ReplaceAll(text, "U", server.URL) }
		place := *p
		if test.env != "" {
			name, value, _ := strings.Cut(test.env, "=")
			place.Env = append(place.Env[:len(place.Env):len(place.Env)], name+"="+expand(value))
		}
		args := strings.Fields(test.args)
		for i, arg := range args {
			if arg == "U" {
				args[i] = server.URL
			}
		}
		stdout, stderr, code := run(t, &place, args...)
		got := stdout
		if test.code != 0 {
			got = stderr
		}
		if code != test.code || !strings.Contains(got, test.want) {
			t.Errorf("%s parley %s: code %d, want %d and %q\n%s%s", test.env, test.args, code, test.code, test.want, stdout, stderr)
		}
		if strings.Contains(stdout+stderr, "geheim") {
			t.Errorf("%s parley %s repeats a secret:\n%s%s", test.env, test.args, stdout, stderr)
		}
	}
}

// TestKilledCopy kills the program while it copies a session, in both directions, and runs it again.
func TestKilledCopy(t *testing.T) {
	t.Parallel()
	url := natstest.Start(t).URL
	p := stage.NewHostPlace(t)
	files, where, back := filepath.Join(p.Root, "files"), namespace(t, url), filepath.Join(p.Root, "back")
	var extra []event.Record
	for i := range 300 {
		extra = append(extra, note(fmt.Sprint(i)+strings.Repeat(" words", 20_000)))
	}
	source := open(t, files)
	write(t, source, "s", extra...)
	want := lines(t, source, "s")
	for _, step := range [][2]string{{"file:" + files, where}, {where, "file:" + back}} {
		target := open(t, strings.TrimPrefix(step[1], "file:"))
		args := []string{"sessions", "copy", "s", "--from", step[0], "--to", step[1], "--json"}
		killed := stage.Launch(t, p.Command(t, args...))
		awaitRecord(t, target, 20)
		killed.Kill()
		stdout, stderr, code := run(t, p, args...)
		if code != 0 || !strings.Contains(stdout, `"status":"extended"`) && !strings.Contains(stdout, `"status":"same"`) {
			t.Fatalf("%q: code %d\n%s%s", args, code, stdout, stderr)
		}
		if got := lines(t, target, "s"); got != want {
			t.Errorf("%q: the copy is different", args)
		}
	}
}

// awaitRecord waits until the session s in a store has a record.
func awaitRecord(t *testing.T, store journal.Store, number uint64) {
	t.Helper()
	for {
		for rec, err := range store.Follow(t.Context(), "s", number) {
			if errors.Is(err, journal.ErrNotFound) {
				break // not yet
			}
			if err != nil {
				t.Fatal(err)
			}
			if rec.Seq >= number {
				return
			}
		}
	}
}
