package codex

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
	messages := []string{rights.Answer, acceptRule}
	for method := range handlers() {
		messages = append(messages, method)
	}
	dialecttest.CheckRights(t, table.Get(), messages, guard, []dialecttest.TriedLine{
		{Line: `{"id":1,"method":"thread/list","params":{}}`, Level: rights.Viewer},
		{Line: `{"id":1,"method":"skills/list","params":{"cwds":["$in"]}}`, Level: rights.Viewer},
		{Line: `{"id":1,"method":"skills/list","params":{"cwds":["$out"]}}`, Level: rights.User, Path: true},
		{Line: `{"id":0,"result":{"decision":"accept"}}`, Level: rights.Reviewer},
		{Line: `{"id":1,"method":"thread/start","params":{"sandbox":"workspace-write","approvalPolicy":"never"}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"thread/start","params":{"sandbox":"danger-full-access"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"cwd":"$in"}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"thread/start","params":{"cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/resume","params":{"threadId":"t","cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/settings/update","params":{"threadId":"t","cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"config/read","params":{"cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"hooks/list","params":{"cwds":["$out"]}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/fork","params":{"threadId":"t","cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x","text_elements":[]}],"cwd":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/resume","params":{"threadId":"t","permissions":":danger-full-access"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"config":{"mcp_servers.a.command":"sh"}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/fork","params":{"threadId":"t","config":{"mcp_servers":{"a":{"command":"sh"}}}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"thread/start","params":{"config":{"sandbox_workspace_write.writable_roots":["$in"]}}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"thread/start","params":{"config":{"sandbox_workspace_write.writable_roots":["$out"]}}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"thread/settings/update","params":{"threadId":"t","sandboxPolicy":{"type":"dangerFullAccess"}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x","text_elements":[]}],"sandboxPolicy":{"type":"externalSandbox"}}}`, Level: rights.User},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"text","text":"x","text_elements":[]}],"sandboxPolicy":{"type":"workspaceWrite","writableRoots":["$out"]}}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"localImage","path":"$in/a.png"}]}}`, Level: rights.Driver},
		{Line: `{"id":1,"method":"turn/start","params":{"threadId":"t","input":[{"type":"localImage","path":"$out/a.png"}]}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"turn/steer","params":{"threadId":"t","expectedTurnId":"u","input":[{"type":"localImage","path":"$out/a.png"}]}}`, Level: rights.User, Path: true},
		{Line: `{"id":1,"method":"command/exec","params":{"command":["id"]}}`, Level: rights.User},
		{Line: `{"id":1,"method":"fs/readFile","params":{"path":"$in/x"}}`, Level: rights.User},
		{Line: `{"id":1,"method":"account/logout"}`, Level: rights.User},
	}...)
}
