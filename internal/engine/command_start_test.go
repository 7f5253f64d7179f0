//go:build unix

package engine

import (
	"context"
	"errors"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

// started starts a command and returns the records up to its end.
func started(t *testing.T, s *Session, c UserCommand) []event.Record {
	t.Helper()
	records := follow(t, s)
	if err := s.anyClient().StartCommand(c); err != nil {
		t.Fatal(err)
	}
	return untilRan(t, records)
}

func untilRan(t *testing.T, records iter.Seq2[event.Record, error]) (all []event.Record) {
	t.Helper()
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, rec)
		if _, ok := rec.Event.(event.CommandRan); ok {
			return all
		}
	}
	t.Fatal("the session ended before the command")
	return nil
}

// TestStartCommand: the start, the output and the end of a command are reported in order, and a repeat of its id does
// nothing, also after the session was opened again.
func TestStartCommand(t *testing.T) {
	b := newBench(t, nil, say("ok"))
	s := commanding(t, b, nil)
	all := started(t, s, UserCommand{ID: "c-1", Line: "echo x >> log; echo one; echo two"})
	begin, end := find[event.CommandStarted](all), find[event.CommandRan](all)
	if len(begin) != 1 || begin[0].ID != "c-1" || len(end) != 1 || end[0].ID != "c-1" || end[0].Output != "one\ntwo\n" {
		t.Fatalf("%+v, %+v", begin, end)
	}
	var shown strings.Builder
	for _, o := range find[event.CommandOutput](all) {
		shown.WriteString(o.Text)
	}
	if shown.String() != "one\ntwo\n" {
		t.Errorf("live output: %q", shown.String())
	}
	if err := s.anyClient().StartCommand(UserCommand{ID: "c-1", Line: "echo x >> log"}); err != nil {
		t.Fatal(err)
	}
	id, workspace := s.ID(), s.State().Workspace
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	again, err := b.host().Open(t.Context(), id, b.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = again.Close(context.Background()) })
	if err := again.anyClient().StartCommand(UserCommand{ID: "c-1", Line: "echo x >> log"}); err != nil {
		t.Fatal(err)
	}
	if err := again.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if log, err := os.ReadFile(filepath.Join(workspace, "log")); err != nil || string(log) != "x\n" {
		t.Errorf("it has run %d times (%v)", len(log)/2, err)
	}
}

// TestStartCommandIsBusy: a second command is refused while one runs, which can be stopped.
func TestStartCommandIsBusy(t *testing.T) {
	b := newBench(t, nil)
	s := commanding(t, b, nil)
	records := follow(t, s)
	c := s.anyClient()
	if err := c.StartCommand(UserCommand{ID: "c-1", Line: "sleep 1000"}); err != nil {
		t.Fatal(err)
	}
	if err := c.StartCommand(UserCommand{ID: "c-2", Line: "true"}); !errors.Is(err, ErrCommandRunning) {
		t.Errorf("a second one: %v", err)
	}
	if c.StopCommand("c-2") || !c.StopCommand("c-1") {
		t.Error("the wrong command was stopped")
	}
	if ran := find[event.CommandRan](untilRan(t, records)); !ran[0].Cancelled {
		t.Errorf("%+v", ran)
	}
	if err := s.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if c.StopCommand("") {
		t.Error("it was stopped twice")
	}
}

// TestStartCommandInTurn: the end of a command that ran during a turn is recorded when the turn has ended.
func TestStartCommandInTurn(t *testing.T) {
	hanging := make(chan struct{})
	b := newBench(t, nil, hang("thinking", hanging))
	s := commanding(t, b, nil)
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: "first"}); err != nil {
		t.Fatal(err)
	}
	<-hanging
	if err := s.anyClient().StartCommand(UserCommand{ID: "c-1", Line: "true"}); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	run := s.shell.running
	s.mu.Unlock()
	if run != nil {
		<-run.done
	}
	s.Interrupt()
	all := untilRan(t, records)
	if len(find[event.TurnEnded](all)) != 1 || all[len(all)-1].Turn != "" {
		t.Errorf("%d records", len(all))
	}
}

// TestStartCommandUnknown: the command of a process that has died has an end, and is not started again.
func TestStartCommandUnknown(t *testing.T) {
	b := newBench(t, nil)
	s := commanding(t, b, nil)
	records := follow(t, s)
	if err := s.anyClient().StartCommand(UserCommand{ID: "c-1", Line: "sleep 1000"}); err != nil {
		t.Fatal(err)
	}
	fork, err := s.host.Fork(t.Context(), s.ID(), 0, NewSession{}, b.options())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = fork.Close(context.Background()) })
	var ends []event.CommandRan
	for rec, err := range fork.Log().Records(t.Context()) {
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := rec.Event.(event.CommandRan); ok {
			ends = append(ends, e)
		}
	}
	if len(ends) != 1 || !ends[0].Unknown || ends[0].ID != "c-1" || ends[0].Shell.Command != "sleep 1000" {
		t.Errorf("%+v", ends)
	}
	if err := fork.anyClient().StartCommand(UserCommand{ID: "c-1", Line: "touch again"}); err != nil {
		t.Error(err)
	}
	s.anyClient().StopCommand("")
	untilRan(t, records)
}
