package flint

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each method has a row, and what requests need.
func TestRights(t *testing.T) {
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: Config{Host: host, Rights: client}}).guard()
	}
	dialecttest.CheckRights(t, table.Get(), append(methods.Get().Names(), rights.Answer), guard, []dialecttest.TriedLine{
		{Line: `{"id":1,"method":"thread/list","params":{}}`, Level: rights.Viewer},
		{Line: `{"id":1000001,"result":{"decision":"accept"}}`, Level: rights.Reviewer},
		{Line: `{"id":1,"method":"thread/start","params":{"cwd":"$in"}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"thread/start","params":{"cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/resume","params":{"threadId":"t","cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x"}],"cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/start","params":{"sandbox":{"type":"workspaceWrite","writableRoots":["$in"]}}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"thread/start","params":{"sandbox":{"type":"workspaceWrite","writableRoots":["$in","$out"]}}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/start","params":{"sandboxPolicy":"danger-full-access"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"sandbox":"readOnly","sandbox":"dangerFullAccess"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/resume","params":{"threadId":"t","sandbox":"externalSandbox"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"mcpServers":{"a":{"command":"sh"}}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"config":{"mcp_servers.a.command":"sh"}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/resume","params":{"threadId":"t","config":{"mcp_servers":{"a":{"command":"sh"}}}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x"}]}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x"}],"sandbox":{"type":"dangerFullAccess"}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"localImage","path":"$in/a.png"}]}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"localImage","path":"$out/a.png"}]}}`, Level: rights.User, Path: true},
	}...)
}
