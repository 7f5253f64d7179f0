//go:build unix

package engine

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool/environ"
)

// commanding returns a session that can run commands.
func commanding(t *testing.T, b *bench, edit func(*Options, *event.Settings)) *Session {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: 100 * time.Millisecond})
	s := b.session(t, edit)
	t.Cleanup(func() { _ = s.Close(context.Background()); spawner.Close() })
	s.mu.Lock()
	s.work.env.Spawner, s.work.env.Environ = spawner, environ.ForChildren(os.Environ())
	s.mu.Unlock()
	return s
}

func run(t *testing.T, s *Session, line string) event.CommandRan {
	t.Helper()
	ran, err := s.RunCommand(t.Context(), UserCommand{Line: line})
	if err != nil {
		t.Fatal(err)
	}
	return ran
}

// TestCommandsCarryOver: folder and variables stay for the next command of the user, and
// only for those.
func TestCommandsCarryOver(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := commanding(t, b, nil)
	dir := s.State().Workspace
	if err := os.Mkdir(filepath.Join(dir, "sub"), 0o700); err != nil {
		t.Fatal(err)
	}
	if ran := run(t, s, "pwd"); ran.Output != dir+"\n" || ran.Shell.Dir != dir || ran.Lines != 2 || ran.Bytes != int64(len(dir)+1) {
		t.Errorf("first: %+v", ran)
	}
	run(t, s, "cd sub; export COLOUR=green")
	ran := run(t, s, `pwd; echo $COLOUR >&2; exit 3`)
	if ran.Output != dir+"/sub\ngreen\n" || ran.Shell.ExitCode != 3 || ran.Shell.Dir != dir+"/sub" || ran.Cancelled || ran.Cut {
		t.Errorf("third: %+v", ran)
	}
	if s.work.env.Shell != nil {
		t.Error("the tools have a lasting shell")
	}
	if ran := run(t, s, "true"); ran.Lines != 0 || ran.Bytes != 0 || ran.Output != "" {
		t.Errorf("nothing written: %+v", ran)
	}
	if ran := run(t, s, "printf x"); ran.Lines != 1 || ran.Bytes != 1 {
		t.Errorf("one line: %+v", ran)
	}
	if len(b.store.journals) != 0 {
		t.Error("commands alone made a journal")
	}
	ended(t, turnOf(t, s, "go", nil))
	if got := find[event.CommandRan](b.store.only().records(true)); len(got) != 5 {
		t.Errorf("%d commands on disk", len(got))
	}
}

// TestModelReceivesCommands: models know what the user ran, but for what is hidden.
func TestModelReceivesCommands(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := commanding(t, b, nil)
	run(t, s, "echo '```'; exit 2")
	if _, err := s.RunCommand(t.Context(), UserCommand{Line: "echo secret", Hidden: true}); err != nil {
		t.Fatal(err)
	}
	if n := s.State().Messages; n != 1 {
		t.Errorf("%d messages", n)
	}
	ended(t, turnOf(t, s, "go", nil))
	equal(t, "history", said(b.requests()[0].Messages), []string{"Ran `echo '```'; exit 2`\n````\n```\n````\n(exit code 2)", "go"})
}

func TestCommandText(t *testing.T) {
	for _, c := range []struct {
		e    event.CommandRan
		want string
	}{
		{event.CommandRan{}, "Ran `x`\n(it wrote nothing)"},
		{event.CommandRan{Output: "a\n", Cut: true, Bytes: 9}, "Ran `x`\n```\na\n```\n(only the last 2 of 9 bytes are shown)"},
		{event.CommandRan{Cancelled: true, Shell: event.ShellRun{ExitCode: -1, Signal: "SIGTERM"}}, "Ran `x`\n(it wrote nothing)\n(it was cancelled)"},
		{event.CommandRan{Shell: event.ShellRun{TimedOut: true, ExitCode: -1}}, "Ran `x`\n(it wrote nothing)\n(it took too long and was ended)"},
		{event.CommandRan{Shell: event.ShellRun{Signal: "SIGKILL", ExitCode: -1}}, "Ran `x`\n(it wrote nothing)\n(it was killed by signal SIGKILL)"},
	} {
		c.e.Shell.Command = "x"
		if got := session.CommandText(c.e); got != c.want {
			t.Errorf("the text of %+v is %q, want %q", c.e, got, c.want)
		}
	}
}

// TestCommandInTurn: a command runs beside a turn, is recorded before the next prompt, and
// belongs to no turn.
func TestCommandInTurn(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("thinking", hanging), say("ok"))
	s := commanding(t, b, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	run(t, s, "echo one")
	run(t, s, "echo two")
	s.Interrupt()
	if got := find[event.CommandRan](untilEnd(t, records, nil)); len(got) != 0 {
		t.Errorf("recorded in the turn: %+v", got)
	}
	turn := turnOf(t, s, "second", nil)
	var kinds []string
	for _, rec := range turn[:4] {
		kinds = append(kinds, string(rec.Event.Kind()))
	}
	equal(t, "the next turn", kinds, []string{"command_ran", "command_ran", "turn_started", "user_message"})
	if turn[0].Turn != "" {
		t.Errorf("the command is of turn %s", turn[0].Turn)
	}
	equal(t, "history", said(b.requests()[1].Messages), []string{"first", "Ran `echo one`\n```\none\n```", "Ran `echo two`\n```\ntwo\n```", "second"})
}

// TestCommandKeptAtClose: a command that was kept back is not lost.
func TestCommandKeptAtClose(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("", hanging))
	s := commanding(t, b, nil)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	run(t, s, "echo one")
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	stored := b.store.only().records(true)
	if _, ok := stored[len(stored)-1].Event.(event.CommandRan); !ok {
		t.Errorf("the last record is %s", stored[len(stored)-1].Event.Kind())
	}
}

// TestCommandCut: of a long output the end is text, and all is a blob.
func TestCommandCut(t *testing.T) {
	needsDisk(t)
	b := newBench(t, nil)
	s := commanding(t, b, nil)
	var mu sync.Mutex
	var live bytes.Buffer
	ran, err := s.RunCommand(t.Context(), UserCommand{Line: "yes é | head -c 1048576; echo; echo end", Output: func(text string) {
		mu.Lock()
		defer mu.Unlock()
		live.WriteString(text)
	}})
	if err != nil {
		t.Fatal(err)
	}
	const whole = 1<<20 + 1 + 4 // the last é is cut in two
	full := b.store.only().blobs[ran.Shell.FullBlob]
	if !ran.Cut || len(ran.Output) > commandTail || len(ran.Output) < commandTail-3 || !strings.HasSuffix(ran.Output, "end\n") ||
		ran.Bytes != int64(len(full)) || ran.Lines != 1+strings.Count(string(full), "\n") || ran.Shell.Omitted != ran.Bytes-int64(len(ran.Output)) {
		t.Errorf("%d bytes of %d in %d lines, cut %t, omitted %d", len(ran.Output), ran.Bytes, ran.Lines, ran.Cut, ran.Shell.Omitted)
	}
	if len(full) < whole || !strings.HasSuffix(string(full), ran.Output) || !strings.HasPrefix(string(full), "é\n") {
		t.Errorf("the whole output has %d bytes, want at least %d", len(full), whole)
	}
	mu.Lock()
	defer mu.Unlock()
	if !strings.HasPrefix(live.String(), "é\né\n") {
		t.Errorf("shown live: %.20q", live.String())
	}
	if got, err := s.RunCommand(t.Context(), UserCommand{Line: "printf 0123456789", MaxBytes: 4}); err != nil || got.Output != "6789" || got.Bytes != 10 || !got.Cut {
		t.Errorf("the last 4 bytes: %+v, %v", got, err)
	}
	if got, err := s.RunCommand(t.Context(), UserCommand{Line: "printf ééé", MaxBytes: 3}); err != nil || got.Output != "é" || got.Shell.Omitted != 4 {
		t.Errorf("the last 3 bytes: %+v, %v", got, err)
	}
}

// TestCommandLimit: a command that takes too long is ended, and its shell stays as it was. On a busy machine it may not begin
// within the limit: then it gets a longer one.
func TestCommandLimit(t *testing.T) {
	s := commanding(t, newBench(t, nil), nil)
	run(t, s, "export COLOUR=green")
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		ran, err := s.RunCommand(t.Context(), UserCommand{Line: "export COLOUR=red; echo begun; sleep 1000", Limit: limit})
		if err != nil || !ran.Shell.TimedOut || ran.Cancelled {
			t.Fatalf("%+v, %v", ran, err)
		}
		if ran.Output == "begun\n" {
			break
		}
		if ran.Output != "" || limit > time.Minute {
			t.Fatalf("within %v the command wrote %q", limit, ran.Output)
		}
	}
	if ran := run(t, s, "echo $COLOUR"); ran.Output != "green\n" {
		t.Errorf("left: %+v", ran)
	}
}

// startSleep runs a command that starts another and waits. It returns how it ended, and
// a check that nothing of it is left: both processes have an end of a pipe open.
func startSleep(t *testing.T, ctx context.Context, s *Session) (ended <-chan event.CommandRan, left func()) {
	t.Helper()
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	end, err := os.OpenFile(pipe, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end.Close() })
	shown, done := make(chan string, 100), make(chan event.CommandRan, 1)
	go func() {
		ran, err := s.RunCommand(ctx, UserCommand{
			Line: "exec 9>'" + pipe + "'; sleep 600 & echo begun; wait", Output: func(text string) { shown <- text },
		})
		if err != nil {
			t.Error(err)
		}
		done <- ran
	}()
	for text := ""; !strings.Contains(text, "\n"); {
		text += <-shown
	}
	return done, func() {
		t.Helper()
		if n, err := end.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("a process is left: %d, %v", n, err)
		}
	}
}

// TestCommandCancelled: the whole group ends, and that is recorded.
func TestCommandCancelled(t *testing.T) {
	s := commanding(t, newBench(t, nil), nil)
	ctx, cancel := context.WithCancel(t.Context())
	ended, left := startSleep(t, ctx, s)
	if _, err := s.RunCommand(t.Context(), UserCommand{Line: "true"}); !errors.Is(err, ErrCommandRunning) {
		t.Errorf("two at once: %v", err)
	}
	cancel()
	if ran := <-ended; !ran.Cancelled || ran.Shell.TimedOut || ran.Output != "begun\n" {
		t.Errorf("%+v", ran)
	}
	left()
	if ran, err := s.RunCommand(ctx, UserCommand{Line: "touch x"}); err != nil || !ran.Cancelled || ran.Shell.ExitCode != -1 {
		t.Errorf("cancelled before it began: %+v, %v", ran, err)
	}
	if ran := run(t, s, "ls"); ran.Output != "" {
		t.Errorf("it ran: %s", ran.Output)
	}
	if n := s.State().Messages; n != 3 {
		t.Errorf("%d commands in the history", n)
	}
}

// TestCommandAtClose: a session that is closed leaves no process after, and the command in
// its journal.
func TestCommandAtClose(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := commanding(t, b, nil)
	ended(t, turnOf(t, s, "go", nil))
	done, left := startSleep(t, t.Context(), s)
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	left()
	if ran := <-done; !ran.Cancelled {
		t.Errorf("%+v", ran)
	}
	if got := find[event.CommandRan](b.store.only().records(true)); len(got) != 1 || !got[0].Cancelled {
		t.Errorf("recorded: %+v", got)
	}
	if _, err := s.RunCommand(t.Context(), UserCommand{Line: "true"}); !errors.Is(err, ErrClosed) {
		t.Errorf("after the end: %v", err)
	}
}

// TestCommandRefused: what cannot run is an error, and not recorded.
func TestCommandRefused(t *testing.T) {
	b := newBench(t, nil)
	s := commanding(t, b, nil)
	if _, err := s.RunCommand(t.Context(), UserCommand{Line: "echo \x00"}); err == nil {
		t.Error("a NUL was run")
	}
	if err := s.Change(func(settings *event.Settings) { settings.Dir = "/nowhere" }); err != nil {
		t.Fatal(err)
	}
	if _, err := s.RunCommand(t.Context(), UserCommand{Line: "true"}); !errors.Is(err, ErrNoFolder) {
		t.Errorf("no folder: %v", err)
	}
	if n := s.State().Messages; n != 0 {
		t.Errorf("%d commands in the history", n)
	}
}

// TestCommandConfined: where the sandbox decides over commands, it does over those of users.
func TestCommandConfined(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("there is no bash")
	}
	s := commanding(t, newBench(t, nil), func(o *Options, settings *event.Settings) {
		o.Approvals, settings.Asking, settings.Sandbox = ApproveBySandbox{}, approval.AskNever, approval.Sandbox{Kind: approval.SandboxReadOnly}
	})
	if !s.work.env.Confines() {
		t.Skip("nothing can be confined here")
	}
	if ran := run(t, s, "touch x"); ran.Shell.ExitCode == 0 {
		t.Errorf("it could write: %+v", ran)
	}
}
