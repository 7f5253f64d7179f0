package scaiflux

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each message and each slash command has a row, and what they need.
func TestRights(t *testing.T) {
	messages := []string{}
	for name := range inbound.Get() {
		messages = append(messages, name)
	}
	for _, c := range commands() {
		messages = append(messages, slashRow+c.name)
	}
	session := new(engine.Session)
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: Config{Host: host, Rights: client}, session: session}).guard()
	}
	dialecttest.CheckRights(t, table.Get(), messages, guard, []dialecttest.TriedLine{
		{Line: `{"type":"shutdown"}`, Level: rights.Viewer},
		{Line: `{"type":"slash","command":"/status"}`, Level: rights.Viewer},
		{Line: `{"type":"permission_response","request_id":"r","decision":"allow"}`, Level: rights.Reviewer},
		{Line: `{"type":"prompt","text":"x"}`, Level: rights.Driver},
		{Line: `{"type":"slash","command":"mode","args":"workspace-write"}`, Level: rights.Driver},
		{Line: `{"type":"slash","command":"/permissions","args":" danger-full-access "}`, Level: rights.User},
		{Line: `{"type":"slash","command":"export"}`, Level: rights.Driver},
		{Line: `{"type":"slash","command":"export","args":"x.md"}`, Level: rights.User},
	}...)
}
