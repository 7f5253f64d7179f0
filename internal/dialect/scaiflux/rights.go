package scaiflux

import (
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/lazy"
)

// slashRow begins the rows of slash commands.
const slashRow = "slash /"

// table is what each message of a client needs.
var table = lazy.Value[rights.Table]{New: func() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Driver, "prompt", "interrupt"),
		rights.Of(rights.Reviewer, "permission_response"),
		rights.Of(rights.Viewer, "shutdown", "slash", // of a command that there is not
			slashRow+"help", slashRow+"status", slashRow+"context", slashRow+"tools", slashRow+"cost", slashRow+"session", slashRow+"diff",
			slashRow+"config", slashRow+"memory", slashRow+"mcp", slashRow+"agents", slashRow+"plugin", slashRow+"version", slashRow+"resume",
			slashRow+"exit"),
		rights.Of(rights.Driver, slashRow+"model", slashRow+"gadgets", slashRow+"save", slashRow+"clear", slashRow+"compact"),
		rights.With(rights.Driver, slashRow+"mode", func(m Slash) []rights.Need {
			if mode := strings.TrimSpace(m.Args); mode == string(approval.FullAccess) {
				return []rights.Need{{Level: rights.User, What: mode}}
			}
			return nil
		}),
		rights.With(rights.Driver, slashRow+"export", func(m Slash) []rights.Need {
			if strings.TrimSpace(m.Args) != "" {
				return []rights.Need{{Level: rights.User, What: "to a path"}}
			}
			return nil
		}),
	)
}}

// refusedSlash is the type of a command in the queue that the client must not give; its Args are why.
const refusedSlash = "refused"

// rowOf returns the row of a message that decode has returned.
func rowOf(message any) string {
	switch m := message.(type) {
	case Prompt:
		return m.Type
	case Interrupt:
		return m.Type
	case PermissionResponse:
		return m.Type
	case Shutdown:
		return m.Type
	case Slash:
		if cmd, ok := findCommand(strings.TrimPrefix(m.Command, "/")); ok {
			return slashRow + cmd.name
		}
		return m.Type
	}
	return ""
}

// guard returns what decides about the lines of the controller.
func (c *conn) guard() *rights.Guard {
	return &rights.Guard{
		Client: c.cfg.Rights, Table: table.Get(),
		Read: func(line []byte) []rights.Message {
			message, refused := decode(line)
			if refused != nil {
				return nil
			}
			return []rights.Message{{Method: rowOf(message), Params: message, Session: string(c.session.ID())}}
		},
		Refuse: func(m rights.Message, r *rights.Refusal) {
			if slash, ok := m.Params.(Slash); ok {
				slash.Type, slash.Args = refusedSlash, r.Error()
				c.slash(slash) // its result comes after those before it
				return
			}
			c.reply(refuse("forbidden", r.Error()))
		},
	}
}
