package acp

import (
	"slices"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each method of both versions has a row, and what requests need.
func TestRights(t *testing.T) {
	messages := []string{rights.Answer, allowAlways}
	for _, m := range slices.Concat(methods1.Get().rows, methods2.Get().rows) {
		if !slices.Contains(messages, m.Name) {
			messages = append(messages, m.Name)
		}
	}
	server := `{"name":"a","command":"sh","args":[],"env":[]}`
	for name, e := range map[string]edition{"1": edition1{}, "2": edition2{}} {
		t.Run(name, func(t *testing.T) {
			guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
				return (&conn{cfg: Config{Host: host, Rights: client}, edition: e}).guard()
			}
			lines := []dialecttest.TriedLine{
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}}`, Level: rights.Viewer},
				{Line: `{"jsonrpc":"2.0","id":0,"result":{}}`, Level: rights.Reviewer},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$in","mcpServers":[]}}`, Level: rights.Driver},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$out","mcpServers":[]}}`, Level: rights.User, Path: true},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"$in","additionalDirectories":["$out"]}}`, Level: rights.User, Path: true},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"$in"}}`, Level: rights.Driver},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/resume","params":{"sessionId":"s","cwd":"$out"}}`, Level: rights.User, Path: true},
				{Line: `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}`, Level: rights.Driver},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"s","type":"id","configId":"mode","value":"auto"}}`, Level: rights.Driver},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"s","type":"id","configId":"mode","value":"full-access"}}`, Level: rights.User},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/set_config_option","params":{"sessionId":"s","type":"id","configId":"sandbox","value":"full"}}`, Level: rights.User},
				{Line: `{"jsonrpc":"2.0","id":1,"method":"session/delete","params":{"sessionId":"s"}}`, Level: rights.Owner},
			}
			if name == "1" {
				lines = append(lines, []dialecttest.TriedLine{
					{Line: `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"$out","mcpServers":[]}}`, Level: rights.User, Path: true},
					{Line: `{"jsonrpc":"2.0","id":1,"method":"session/fork","params":{"sessionId":"s","cwd":"$out"}}`, Level: rights.User, Path: true},
					{Line: `{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":"$in","mcpServers":[` + server + `]}}`, Level: rights.User},
					{Line: `{"jsonrpc":"2.0","id":1,"method":"session/load","params":{"sessionId":"s","cwd":"$in","mcpServers":[` + server + `]}}`, Level: rights.User},
					{Line: `{"jsonrpc":"2.0","id":1,"method":"session/set_mode","params":{"sessionId":"s","modeId":"full-access"}}`, Level: rights.User},
					{Line: `{"jsonrpc":"2.0","id":1,"method":"authenticate","params":{"methodId":"sign-in"}}`, Level: rights.User},
				}...)
			} else {
				lines = append(lines, dialecttest.TriedLine{
					Line:  `[{"jsonrpc":"2.0","id":1,"method":"session/list","params":{}},{"jsonrpc":"2.0","id":2,"method":"auth/logout"}]`,
					Level: rights.User,
				})
			}
			dialecttest.CheckRights(t, table.Get(), messages, guard, lines...)
		})
	}
}
