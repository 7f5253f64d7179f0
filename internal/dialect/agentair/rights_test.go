package agentair

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each message has a row, and what messages need.
func TestRights(t *testing.T) {
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: Config{Host: host, Rights: client}}).guard()
	}
	messages := []string{inputMessage}
	for name := range requests.Get() {
		messages = append(messages, name)
	}
	dialecttest.CheckRights(t, table.Get(), messages, guard, []dialecttest.TriedLine{
		{Line: `"Shutdown"`, Level: rights.Viewer},
		{Line: `{"session_id":1,"content":"x","turn_id":{"role":"User","sequence":1}}`, Level: rights.Driver},
		{Line: `{"session_id":1,"input_type":"Control","control_cmd":"Interrupt"}`, Level: rights.Driver},
		{Line: `{"CreateSession":{}}`, Level: rights.Driver},
		{Line: `{"CreateSession":{"working_dir":"$in"}}`, Level: rights.Driver},
		{Line: `{"CreateSession":{"working_dir":"$out"}}`, Level: rights.User, Path: true},
		{Line: `{"PermissionResponse":{"tool_use_id":"c","response":{"granted":true}}}`, Level: rights.Reviewer},
		{Line: `{"PermissionResponse":{"tool_use_id":"c","response":{"granted":true,"grant":{"target":{"type":"path","path":"$in","recursive":true},"level":"Write"}}}}`, Level: rights.Reviewer},
		{Line: `{"PermissionResponse":{"tool_use_id":"c","response":{"granted":true,"grant":{"target":{"type":"path","path":"$out","recursive":true},"level":"Write"}}}}`, Level: rights.User, Path: true},
		{Line: `{"BatchPermissionResponse":{"batch_id":"b","approved_grants":[{"target":{"type":"path","path":"$out","recursive":true},"level":"Read"}]}}`, Level: rights.User, Path: true},
	}...)
}
