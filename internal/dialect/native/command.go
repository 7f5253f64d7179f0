package native

import (
	"context"
	"strings"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

func checkCommandRun(p *CommandRunParams) error {
	if err := notEmpty("id", p.ID); err != nil {
		return err
	}
	if strings.ContainsRune(p.Command, 0) {
		return problem("command", "must not have a NUL character")
	}
	return notEmpty("command", strings.TrimSpace(p.Command))
}

// runCommand starts a command of the user (command/run). Its end is a record.
func (s *session) runCommand(_ context.Context, p *CommandRunParams) (CommandRunResult, error) {
	err := s.client.StartCommand(engine.UserCommand{ID: event.CommandID(p.ID), Line: p.Command, Hidden: p.Hidden})
	return CommandRunResult{p.ID}, err
}
