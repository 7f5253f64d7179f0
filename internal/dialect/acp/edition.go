package acp

import (
	"slices"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// An edition is a version of the protocol as a connection speaks it. What the rest of the package makes is of version 1.
type edition interface {
	// methods returns what a client can send.
	methods() methodTable
	// batches reports whether a line may have several messages.
	batches() bool
	// result returns the result of a request.
	result(any) any
	// update returns what the client is sent of an update; nil: nothing.
	update(any) any
	// permission returns the params of a request for an approval.
	permission(PermissionParams) any
	// accepted returns the lines of a prompt that was accepted.
	accepted(s *session, id jsonrpc.ID, p acceptedPrompt) [][]byte
	// livePrompt returns the updates for a prompt that the client does not know.
	livePrompt(livePrompt) []any
	// answersPrompt reports whether the end of a turn is the answer to the request of its prompt.
	answersPrompt() bool
	// ended returns the line at the end of a prompt; nil: there is none. id "" is the turn of another client, or of no request;
	// err, if not nil, is why the turn failed.
	ended(s *session, id jsonrpc.ID, result PromptResult, err *jsonrpc.Error) []byte
	// state returns the update for a record that changes what the session is doing; nil: there is none.
	state(event.Event) any
}

// An acceptedPrompt is a prompt of the client.
type acceptedPrompt struct {
	id      event.PromptID
	content []ContentBlock
}

// A methodTable has the methods of an edition.
type methodTable struct {
	rows   []method
	params jsonrpc.Methods
}

func tableOf(rows []method) methodTable {
	t := methodTable{rows: rows}
	all := make([]jsonrpc.Method, len(rows))
	for i, m := range rows {
		all[i] = m.Method
	}
	t.params = jsonrpc.NewMethods(all...)
	return t
}

// find returns the method of that name which the flags open.
func (t methodTable) find(name string, f Flags) (method, bool) {
	i := slices.IndexFunc(t.rows, func(m method) bool { return m.Name == name })
	if i < 0 || t.rows[i].unstable && !f.Unstable {
		return method{}, false
	}
	return t.rows[i], true
}

// edition1 is version 1: the answer to a prompt is the end of its turn.
type edition1 struct{}

func (edition1) methods() methodTable { return methods1.Get() }

func (edition1) batches() bool { return false }

func (edition1) result(result any) any { return result }

func (edition1) update(update any) any { return update }

func (edition1) permission(p PermissionParams) any { return p }

func (edition1) accepted(*session, jsonrpc.ID, acceptedPrompt) [][]byte { return nil }

func (edition1) livePrompt(p livePrompt) (updates []any) {
	for _, content := range p.content {
		updates = append(updates, MessageChunk{"user_message_chunk", string(p.id), content})
	}
	return updates
}

func (edition1) answersPrompt() bool { return true }

func (edition1) ended(_ *session, id jsonrpc.ID, result PromptResult, err *jsonrpc.Error) []byte {
	switch {
	case id == "":
		return nil
	case err != nil:
		return errorLine(id, err)
	}
	return frames.AppendResult(nil, id, marshal(result))
}

func (edition1) state(event.Event) any { return nil }
