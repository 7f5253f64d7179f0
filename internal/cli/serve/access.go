package serve

import (
	"log/slog"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/host"
	"parley.dev/parley/internal/host/audit"
)

// An auditor writes what one client does into the log of the host.
type auditor struct {
	file  *audit.Log
	log   *slog.Logger // of errors
	entry audit.Entry  // what is known of the client
}

// auditor returns the auditor of a client.
func (h hosting) auditor(c host.Conn, log *slog.Logger) *auditor {
	e := audit.Entry{Dialect: c.Dialect, Role: "owner"}
	if t := c.Token; t != nil {
		e.Token, e.Name, e.Role = t.ID, t.Name, t.Role
	}
	return &auditor{h.audit, log, e}
}

func (a *auditor) write(e audit.Entry) {
	if err := a.file.Add(e); err != nil {
		a.log.Error("audit log not written", "error", err)
	}
}

// answered writes an answer to an approval or to questions.
func (a *auditor) answered(answer engine.Answered) {
	e := a.entry
	e.Event, e.Client, e.Session, e.Target, e.Allowed = "answered", answer.Client.Name, string(answer.Session), answer.ID, &answer.Allowed
	a.write(e)
}

// requested writes a request of a client of the network that was refused, or that only an owner may make.
func (a *auditor) requested(r rights.Entry) {
	e := a.entry
	e.Event, e.Session = r.Method, r.Session
	if r.Problem != "" {
		e.Event, e.Target, e.Problem = "refused", r.Method, r.Problem
	}
	a.write(e)
}

// called writes the call of a method that only an owner may call.
func (a *auditor) called(method, session string) {
	e := a.entry
	e.Event, e.Session = method, session
	a.write(e)
}

// accessOf returns what a client can reach: that of its token, or everything.
func accessOf(c host.Conn, log *auditor) engine.Access {
	access := engine.Access{Audit: log.answered}
	if c.Token == nil {
		return access
	}
	access.Within = c.Token.Workspace
	if ids := c.Token.Sessions; ids != nil {
		access.Sessions = make([]event.SessionID, len(ids))
		for i, id := range ids {
			access.Sessions[i] = event.SessionID(id)
		}
	}
	return access
}
