package loaf

import (
	"testing"
	"time"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each method has a row, and what requests need.
func TestRights(t *testing.T) {
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: Config{Host: host, Rights: client, Now: time.Now, Flags: Flags{Cwd: "/w", Home: "/h"}}}).guard()
	}
	dialecttest.CheckRights(t, (&conn{}).table(), methods.Get().Names(), guard, []dialecttest.TriedLine{
		{Line: `{"jsonrpc":"2.0","id":1,"method":"state.get"}`, Level: rights.Viewer},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"s","text":"x"}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"s","images":[{"path":"$in/a.png"}]}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"s","images":[{"path":"$out/a.png"}]}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"s","images":[{"path":"file://$out/a.png"}]}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session.send","params":{"session_id":"s","images":[{"path":"~/a.png"}]}}`, Level: rights.User, Path: true},
		{Line: "\uFEFF" + `{"jsonrpc":"2.0","id":1,"method":"auth.set.openrouter_key","params":{"api_key":"k"}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"auth.connect.openai","params":{}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"command.execute","params":{"session_id":"s","raw_command":"/help"}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"command.execute","params":{"session_id":"s","raw_command":" /ForgetEverything now"}}`, Level: rights.User},
	}...)
}
