package acp

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestOwnTool: a call is one of our own tools, with its input, where the agent reports enough for that.
func TestOwnTool(t *testing.T) {
	old := "x"
	for _, c := range []struct {
		call        call
		tool, input string
	}{
		{call{toolCall: toolCall{ToolKind: "execute", Title: "make", RawInput: jsontext.Value(`{"command":["make","a b"],"workdir":"/w"}`)}}, "shell", `{"command":"make 'a b'","dir":"/w"}`},
		{call{toolCall: toolCall{ToolKind: "execute", Title: "make", RawInput: jsontext.Value(`"text"`)}}, "shell", `{"command":"make"}`},
		{call{toolCall: toolCall{ToolKind: "read", RawInput: jsontext.Value(`{"filePath":"/a"}`)}}, "read", `{"path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "read", Locations: []location{{"/a"}}}}, "read", `{"path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "read", RawInput: jsontext.Value(`{"path":"/a","command":"touch b"}`)}}, "shell", `{"command":"touch b"}`},
		{call{toolCall: toolCall{ToolKind: "fetch", RawInput: jsontext.Value(`{"url":"http://a","command":["touch","b"]}`)}}, "shell", `{"command":"touch b"}`},
		{call{toolCall: toolCall{ToolKind: "read", RawInput: jsontext.Value(`{"path":"/a","command":"view"}`)}}, "read", `{"path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "read", RawInput: jsontext.Value(`{"path":7}`)}}, "", `{"path":7}`},
		{call{toolCall: toolCall{ToolKind: "edit", RawInput: jsontext.Value(`{"file_path":"/a","content":""}`)}}, "write", `{"content":"","path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "edit", RawInput: jsontext.Value(`{"filePath":"/a","oldString":"x","newString":"y"}`)}}, "edit", `{"new":"y","old":"x","path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "edit"}, diffs: []toolContent{{Path: "/a", NewText: "y"}}}, "write", `{"content":"y","path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "edit"}, diffs: []toolContent{{Path: "/a", OldText: &old, NewText: "y"}}}, "edit", `{"new":"y","old":"x","path":"/a"}`},
		{call{toolCall: toolCall{ToolKind: "edit"}, diffs: []toolContent{{Path: "/a"}, {Path: "/b"}}}, "", `{}`},
		{call{toolCall: toolCall{ToolKind: "search", Title: "grep", RawInput: jsontext.Value(`{"pattern":"f","path":"/a"}`)}}, "grep", `{"path":"/a","pattern":"f"}`},
		{call{toolCall: toolCall{ToolKind: "search", Name: "Glob", RawInput: jsontext.Value(`{"pattern":"*"}`)}}, "glob", `{"pattern":"*"}`},
		{call{toolCall: toolCall{ToolKind: "search", Name: "Find", RawInput: jsontext.Value(`{"pattern":"*"}`)}}, "", `{"pattern":"*"}`},
		{call{toolCall: toolCall{ToolKind: "delete", RawInput: jsontext.Value(`{"path":"/a"}`)}}, "", `{"path":"/a"}`},
	} {
		b := c.call.begin()
		if b.Tool != c.tool || string(b.Input) != c.input {
			t.Errorf("%+v is %q %s, want %q %s", c.call.toolCall, b.Tool, b.Input, c.tool, c.input)
		}
	}
}

// TestHasInput: what agents report before they know the input of a call is none.
func TestHasInput(t *testing.T) {
	for _, c := range []struct {
		kind, input string
		want        bool
	}{
		{"execute", ``, false},
		{"execute", `{}`, false},
		{"execute", `{"cwd":"/w"}`, false},
		{"execute", `{"workdir":"/w"}`, false},
		{"execute", `{"cwd":"/w","command":"make"}`, true},
		{"execute", `"make"`, true},
		{"other", `{"cwd":"/w"}`, true},
		{"read", `{ }`, false},
	} {
		one := call{toolCall: toolCall{ToolKind: c.kind, RawInput: jsontext.Value(c.input)}}
		if got := one.hasInput(); got != c.want {
			t.Errorf("hasInput of %s %s is %v", c.kind, c.input, got)
		}
	}
}
