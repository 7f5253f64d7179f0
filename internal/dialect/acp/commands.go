package acp

import (
	"bytes"
	"cmp"
	"context"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/skill"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file has the slash commands: prompts that begin with the name of one.

// A command is a slash command.
type command struct {
	Command
	// do does a command that is not for the model, and answers its prompt. It is called when no turn runs; ctx ends when the
	// prompt is cancelled.
	do func(ctx context.Context, s *session, id jsonrpc.ID, args string)
	// skill is the one that a command loads; nil: none. The prompt of a command without do goes to the model.
	skill *skill.Skill
}

// ownCommands returns the commands that every session has.
func ownCommands() []command {
	return []command{
		{Command: Command{"compact", "Sum up the conversation to free context", &CommandInput{"what to keep"}}, do: compact},
		{Command: Command{"status", "Show the model, the mode, the sandbox and the usage", nil}, do: status},
	}
}

// commands returns the slash commands of the session now.
func (s *session) commands() []command {
	all := ownCommands()
	add := func(c command) {
		known := slices.ContainsFunc(all, func(other command) bool { return other.Name == c.Name })
		if c.Name != "" && !known && !strings.ContainsFunc(c.Name, notInName) {
			all = append(all, c)
		}
	}
	for _, found := range s.eng.Context().Skills() {
		about := cmp.Or(found.Description, "Use the skill "+found.Name)
		add(command{Command: Command{found.Name, about, &CommandInput{"what to do"}}, skill: &found})
	}
	for _, c := range s.serverCommands() {
		add(c)
	}
	return all
}

// serverCommands returns the prompts of tool servers. The engine sends their texts to the model.
func (s *session) serverCommands() (all []command) {
	for _, p := range s.eng.Servers().Prompts() {
		c := Command{Name: p.Name, Description: cmp.Or(p.Description, "Use a prompt of a tool server")}
		var names []string
		for _, a := range p.Arguments {
			if !a.Required {
				a.Name = "[" + a.Name + "]"
			}
			names = append(names, a.Name)
		}
		if len(names) > 0 {
			c.Input = &CommandInput{strings.Join(names, " ")}
		}
		all = append(all, command{Command: c})
	}
	return all
}

// notInName reports whether a character cannot be in the name of a command.
func notInName(r rune) bool { return r == '/' || r <= ' ' || r == 0x7f }

// commandIn returns the command that a prompt begins with, and what follows its name; nil: none.
func (s *session) commandIn(prompt []ContentBlock) (c *command, args string) {
	if prompt[0].Type != "text" {
		return nil, ""
	}
	text, slash := strings.CutPrefix(*prompt[0].Text, "/")
	if !slash {
		return nil, ""
	}
	name := text
	if i := strings.IndexAny(text, " \t\r\n"); i >= 0 {
		name, args = text[:i], text[i:]
	}
	all := s.commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.Name == name })
	if i < 0 {
		return nil, ""
	}
	return &all[i], strings.TrimSpace(args)
}

// notes returns what the model reads with the prompt of a command.
func (c *command) notes() ([]event.Note, error) {
	if c.skill == nil {
		return nil, nil
	}
	instructions, err := c.skill.Text()
	if err != nil {
		return nil, err
	}
	text := "The user has chosen the skill " + c.skill.Name + ", whose folder is " + c.skill.Dir + ". Its instructions:\n\n" + instructions
	return []event.Note{{Blocks: []model.Block{model.TextBlock(text)}}}, nil
}

// commandsUpdate returns the slash commands of the session.
func (s *session) commandsUpdate() AvailableCommandsUpdate {
	update := AvailableCommandsUpdate{"available_commands_update", []Command{}}
	for _, c := range s.commands() {
		update.AvailableCommands = append(update.AvailableCommands, c.Command)
	}
	return update
}

// commandsLine returns the line with the commands that the client gets with a session.
func (s *session) commandsLine() []byte {
	line := s.updateLine(s.commandsUpdate())
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commandList = line
	return line
}

// renewCommands sends the commands soon, if they are not those that the client knows.
func (s *session) renewCommands() {
	s.conn.working.Go(func() {
		line := s.updateLine(s.commandsUpdate()) // it reads files
		s.mu.Lock()
		defer s.mu.Unlock()
		over := s.closed || s.conn.life.Err() != nil || s.eng.Ended() != "" // nothing is found then
		if s.commandList != nil && !over && !bytes.Equal(line, s.commandList) {
			s.commandList = line
			s.pump.Reply(line)
		}
	})
}

// say answers the prompt of a command with a message.
func (s *session) say(id jsonrpc.ID, message string) {
	s.answerJob(id,
		s.updateLine(MessageChunk{"agent_message_chunk", s.conn.cfg.NewID(), text(message)}),
		s.conn.edition.ended(s, id, PromptResult{StopReason: StopEndTurn}, nil))
}
