package native

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each method has a row, and what requests need.
func TestRights(t *testing.T) {
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: &Config{Host: host, Rights: client}}).guard()
	}
	dialecttest.CheckRights(t, allRights(), table().Names(), guard, []dialecttest.TriedLine{
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/state","params":{"session":"s"}}`, Level: rights.Viewer},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/create","params":{"workspace":"$in","settings":{"mode":"workspace-write"}}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/create","params":{"workspace":"$in","settings":{"mode":"danger-full-access"}}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/create","params":{"workspace":"$in","servers":{"e":{"command":"/bin/sh"}}}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"name":"x","sandbox":{"kind":"workspace-write"}}}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"sandbox":{"kind":"full-access"}}}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"sandbox":{"roots":["$out"]}}}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"sandbox":{"roots":["$in"]}}}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"options":{"file":"$in/x"}}}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"session":"s","settings":{"mode":"danger-full-access"}}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"command/run","params":{"session":"s","id":"c","command":"id"}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"session":"s","target":{"type":"path","path":"$in","recursive":true},"level":"read"}}`, Level: rights.Owner},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"session":"s","target":{"type":"path","path":"$out","recursive":true},"level":"read"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"session":"s","target":{"type":"path","path":".."},"level":"read"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"workspace":"$in","target":{"type":"path","path":"x"},"level":"read"}}`, Level: rights.Owner},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"session":"s","target":{"type":"command","pattern":"*"},"level":"execute"}}`, Level: rights.User},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"session":"s","target":{"type":"domain","pattern":"example.com"},"level":"execute"}}`, Level: rights.Owner},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/create","params":{"workspace":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/create","params":{"workspace":"$in","settings":{"dir":"$out"}}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"session":"s","workspace":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"session":"s","workspace":"$in"}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"session":"s","settings":{"dir":"$out"}}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"dir":"$out"}}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/change","params":{"session":"s","settings":{"dir":"$in"}}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"workspace/find","params":{"workspace":"$out","query":"x"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"workspace/find","params":{"workspace":"$in","query":"x"}}`, Level: rights.Driver},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/list","params":{"workspace":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/list","params":{"workspace":"$in"}}`, Level: rights.Viewer},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/revoke","params":{"workspace":"$out","ids":["g"]}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"grants/add","params":{"workspace":"$out","target":{"type":"domain","pattern":"example.com"},"level":"execute"}}`, Level: rights.User, Path: true},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"session/remove","params":{"session":"s"}}`, Level: rights.Owner},
		{Line: `{"jsonrpc":"2.0","id":1,"method":"token/list","params":{}}`, Level: rights.User},
	}...)
}
