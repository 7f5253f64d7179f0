package engine

import (
	"context"
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// This file contains the commands of a user that have an id: their start is on disk before they run, so that the same
// command never runs twice, whatever happens to the process.

// StartCommand starts a command of a user that has an ID, and returns once its start is on disk. It is RunCommand, but
// followers receive its output as CommandOutput and its end as CommandRan, recorded at the latest when the session is
// idle, and it continues when the client leaves. A command whose ID was started before is not started again, which is
// no error.
//
// ErrCommandRunning, ErrNoFolder, ErrUnsaved, ErrClosed, ErrSubagent, ErrBatch, *LockedError.
//
// In a deferred store it does not wait for the acknowledgement: the caller must call Session.AwaitStored before
// the client learns that the command was accepted.
func (c *Client) StartCommand(uc UserCommand) error {
	s := c.session
	ctx, cancel := context.WithCancelCause(context.Background())
	run, env, err := s.acceptCommand(uc, c, cancel)
	if err != nil {
		cancel(nil)
		return err
	}
	if run != nil {
		uc.Output = func(text string) { s.show("", event.CommandOutput{Command: uc.ID, Text: text}) }
		go func() { // stopCommand and WaitAll wait for its end
			defer cancel(nil)
			_ = s.log.AwaitDisk(ctx)            // execute returns the error
			_, _ = s.execute(ctx, run, env, uc) // its failure is recorded
		}()
	}
	if s.log.Deferred() {
		return nil
	}
	return s.awaitDisk(context.Background())
}

// acceptCommand records the start of a command, ahead of the disk. A repeat has no run.
func (s *Session) acceptCommand(uc UserCommand, c *Client, cancel context.CancelCauseFunc) (*userRun, *tool.Env, error) {
	if err := s.lockToWrite(); err != nil {
		return nil, nil, err
	}
	defer s.unlock()
	if err := s.checkPrompter(c); err != nil {
		return nil, nil, err
	}
	if _, err := s.create(); err != nil {
		return nil, nil, err
	}
	if s.fold.Commands.Known(uc.ID) {
		return nil, nil, nil
	}
	run, env, err := s.claimShell(uc.ID, cancel)
	if err != nil {
		return nil, nil, err
	}
	if err = s.log.Flush(); err == nil {
		err = s.log.CommitAhead("", event.CommandStarted{ID: uc.ID, Command: uc.Line, Hidden: uc.Hidden, Client: c.who})
	}
	if err != nil {
		s.shell.running = nil
		return nil, nil, err
	}
	s.lease.claims++ // another process would record that its outcome is not known
	s.setBusy()
	return run, env, nil
}

// StopCommand cancels the command of a user that runs, if it has that id; "" is any. It reports whether there was one.
func (c *Client) StopCommand(id event.CommandID) bool {
	s := c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	run := s.shell.running
	if run == nil || id != "" && run.id != id {
		return false
	}
	run.cancel(ErrInterrupted)
	return true
}

// Wait waits until the session is idle and no command of StartCommand runs. The error is the cause of ctx.
func (s *Session) Wait(ctx context.Context) error {
	for {
		if err := s.waitTurn(ctx); err != nil {
			return err
		}
		s.mu.Lock()
		run, busy := s.shell.running, s.slot != nil
		s.mu.Unlock()
		switch {
		case busy:
			continue
		case run == nil || run.id == "":
			return nil
		}
		select {
		case <-run.done:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// recordStartedCommands records the commands that ended while the session was busy, if the start of one is recorded.
func (s *Session) recordStartedCommands() {
	if slices.ContainsFunc(s.shell.ran, func(e event.CommandRan) bool { return e.ID != "" }) {
		s.recordCommands()
	}
}
