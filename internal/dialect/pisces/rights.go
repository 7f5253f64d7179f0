package pisces

import (
	"path/filepath"

	"parley.dev/parley/internal/dialect/rights"
)

// table returns what each message of the client needs.
func (c *conn) table() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Viewer, CommandGetState, CommandGetAvailableModels, CommandGetSessionStats, CommandGetBranchMessages,
			CommandGetLastAssistantText, CommandGetMessages, CommandGetForkMessages, CommandGetCommands, CommandGetAvailableThinkingLevels,
			CommandGetEntries, CommandGetTree, CommandGetAvailableCommands, CommandSetEventFilter, CommandSetSubagentSubscription,
			CommandGetSubagents, CommandGetMessagesPage),
		rights.Of(rights.Reviewer, TypeUIResponse),
		rights.With(rights.Driver, CommandPrompt, func(p Prompt) []rights.Need { return c.mentionNeeds(p.Message) }),
		rights.With(rights.Driver, CommandSteer, func(p Steer) []rights.Need { return c.mentionNeeds(p.Message) }),
		rights.With(rights.Driver, CommandFollowUp, func(p FollowUp) []rights.Need { return c.mentionNeeds(p.Message) }),
		rights.With(rights.Driver, CommandAbortAndPrompt, func(p AbortAndPrompt) []rights.Need { return c.mentionNeeds(p.Message) }),
		rights.With(rights.Driver, CommandSwitchSession, func(p SwitchSession) []rights.Need {
			if filepath.Dir(c.absolute(p.SessionPath)) == c.folder() { // those that work here
				return nil
			}
			return []rights.Need{{Level: rights.User, What: "with a file elsewhere"}}
		}),
		rights.With(rights.Driver, CommandOpenSession, func(p OpenSession) []rights.Need {
			if c.absolute(p.SessionDir) == c.folder() {
				return nil
			}
			return []rights.Need{{Level: rights.User, What: "with another folder of sessions"}}
		}),
		rights.With(rights.Driver, CommandExportHTML, func(p ExportHTML) []rights.Need {
			if p.OutputPath == "" {
				return nil
			}
			return []rights.Need{{Level: rights.User, What: "with outputPath"}}
		}),
		rights.Of(rights.Driver, CommandAbort, CommandNewSession, CommandSetModel, CommandCycleModel, CommandSetThinkingLevel,
			CommandCycleThinkingLevel, CommandSetSteeringMode, CommandSetFollowUpMode, CommandSetInterruptMode, CommandCompact,
			CommandSetAutoCompaction, CommandSetAutoRetry, CommandAbortRetry, CommandAbortBash, CommandBranch, CommandSetSessionName,
			CommandFork, CommandClone, CommandClearQueue, CommandSetHostTools, CommandSetTodos, TypeHostToolUpdate, TypeHostToolResult),
		rights.Of(rights.User, CommandBash),
	)
}

// mentionNeeds returns what the files need that a prompt names.
func (c *conn) mentionNeeds(prompt string) []rights.Need {
	var needs []rights.Need
	for _, path := range mentionedPaths(prompt) {
		needs = append(needs, rights.OfFile(c.absolute(path)))
	}
	return needs
}

// guard returns what decides about the lines of the client. Refusals come after the answers to the commands before.
func (c *conn) guard(waiting chan<- any) *rights.Guard {
	return &rights.Guard{
		Client: c.cfg.Rights, Table: c.table(),
		Read: func(line []byte) []rights.Message {
			message, refused := decode(line)
			if refused != nil {
				return nil
			}
			return []rights.Message{{Method: rowOf(message), Params: paramsOf(message), Origin: message}}
		},
		Refuse: func(m rights.Message, r *rights.Refusal) {
			if of, ok := m.Origin.(command); ok {
				c.wait(failed(of, r.Error()), waiting)
			}
		},
	}
}

// rowOf returns the row of a message that decode has returned.
func rowOf(message any) string {
	switch m := message.(type) {
	case command:
		return m.name
	case ExtensionUIResponse:
		return TypeUIResponse
	case HostToolUpdate:
		return TypeHostToolUpdate
	case HostToolResult:
		return TypeHostToolResult
	}
	return ""
}

// paramsOf returns the params of a message that decode has returned.
func paramsOf(message any) any {
	if m, ok := message.(command); ok {
		return m.params
	}
	return message
}
