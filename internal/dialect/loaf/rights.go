package loaf

import (
	"bytes"

	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// forgetCommand deletes keys and sign-ins.
const forgetCommand = "/forgeteverything"

// table returns what each message of the client needs.
func (c *conn) table() rights.Table {
	return rights.NewTable(
		rights.Of(rights.Viewer, "rpc.handshake", "system.ping", "system.shutdown", "state.get", "session.get", "session.queue.list",
			"auth.status", "onboarding.status", "model.list", "model.openrouter.providers", "limits.get", "history.list", "history.get",
			"skills.list", "tools.list", "debug.set"),
		rights.With(rights.Driver, "session.send", func(p *SessionSendParams) []rights.Need { return c.needsOf(p.Images) }),
		rights.With(rights.Driver, "command.execute", func(p *CommandParams) []rights.Need {
			if word, _ := trimmedFields(p.RawCommand); word == forgetCommand {
				return []rights.Need{{Level: rights.User, What: "with " + forgetCommand}}
			}
			return nil
		}),
		rights.Of(rights.Driver, "session.create", "session.steer", "session.interrupt", "session.queue.clear", "history.clear_session",
			"onboarding.complete", "model.select"),
		rights.Of(rights.User, "auth.connect.openai", "auth.connect.antigravity", "auth.set.openrouter_key", "auth.set.exa_key"),
	)
}

// needsOf returns what the files of a prompt need.
func (c *conn) needsOf(images []ImageInput) []rights.Need {
	var needs []rights.Need
	finder := diskImages(c.cfg.Flags.Cwd, c.cfg.Flags.Home, c.cfg.Now())
	for _, image := range images {
		if image.DataURL == "" {
			needs = append(needs, rights.OfFile(finder.absolute(image.Path)))
		}
	}
	return needs
}

// guard returns what decides about the lines of the client.
func (c *conn) guard() *rights.Guard {
	read := rights.Frames{Options: frames, Session: "session_id", Params: func(f jsonrpc.Frame) (any, error) { return methods.Get().Params(f, frames) }}
	return &rights.Guard{
		Client: c.cfg.Rights, Table: c.table(),
		Read: func(line []byte) []rights.Message { return read.Read(bytes.TrimFunc(line, isBlank)) },
		Refuse: func(m rights.Message, r *rights.Refusal) {
			if f := m.Origin.(jsonrpc.Frame); f.Kind == jsonrpc.Request {
				c.fail(f.ID, failure(CodeServerError, r.Error(), ErrorData{Reason: ReasonForbidden}))
			}
		},
	}
}
