package agentair

import (
	"fmt"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/lazy"
)

// inputMessage is the row of messages of the user, which have no name on the wire.
const inputMessage = "ControllerInput"

// table is what each message of a client needs.
var table = lazy.Value[rights.Table]{New: func() rights.Table {
	return rights.NewTable(
		rights.With(rights.Reviewer, "PermissionResponse", func(p PermissionResponse) []rights.Need {
			if p.Response.Grant == nil {
				return nil
			}
			return needs(*p.Response.Grant)
		}),
		rights.With(rights.Reviewer, "BatchPermissionResponse", func(p BatchPermissionResponse) []rights.Need { return needs(p.ApprovedGrants...) }),
		rights.Of(rights.Reviewer, "UserInteractionResponse", "CancelPermission", "CancelBatchPermission", "CancelUserInteraction"),
		rights.Of(rights.Driver, inputMessage, "Interrupt", "Clear", "Compact", "RemoveSession"),
		rights.With(rights.Driver, "CreateSession", func(p CreateSession) []rights.Need { return []rights.Need{rights.OfFolder(value(p.WorkingDir))} }),
		rights.Of(rights.Viewer, "Shutdown"),
	)
}}

// needs returns what the grants of a client need: they hold for the session, and may be about any file.
func needs(grants ...Grant) []rights.Need {
	var all []rights.Need
	for _, g := range grants {
		if own, err := toGrant(g, time.Time{}); err == nil && own.Target.Kind == approval.TargetPath {
			all = append(all, rights.Need{Path: own.Target.Path, What: "with a grant for " + own.Target.Path})
		}
	}
	return all
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	return &rights.Guard{
		Client: c.cfg.Rights, Table: table.Get(), Dir: c.cfg.Flags.Cwd,
		Read: func(line []byte) []rights.Message {
			message, refused := decode(line)
			if refused != nil {
				return nil
			}
			return []rights.Message{{Method: nameOf(message), Params: message, Origin: sessionIn(message)}}
		},
		Refuse: func(m rights.Message, r *rights.Refusal) {
			session, _ := m.Origin.(*int64)
			c.post(Error{Message: r.Error(), SessionID: session})
		},
	}
}

// nameOf returns the row of a message.
func nameOf(message any) string { return strings.TrimPrefix(fmt.Sprintf("%T", message), "agentair.") }

// sessionIn returns the session that a message names; nil: none.
func sessionIn(message any) *int64 {
	switch m := message.(type) {
	case ControllerInput:
		return &m.SessionID
	case PermissionResponse:
		return m.SessionID
	case UserInteractionResponse:
		return m.SessionID
	case Interrupt:
		return &m.SessionID
	case Clear:
		return &m.SessionID
	case Compact:
		return &m.SessionID
	case RemoveSession:
		return &m.SessionID
	}
	return nil
}
