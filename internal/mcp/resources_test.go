package mcp

import (
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool"
)

// own returns a tool of the source itself.
func (v *visit) own(name string) tool.Tool {
	v.t.Helper()
	tools := v.Tools(v.t.Context())
	i := slices.IndexFunc(tools, func(t tool.Tool) bool { return t.Name() == name })
	if i < 0 {
		v.t.Fatalf("no tool %s", name)
	}
	return tools[i]
}

func TestResources(t *testing.T) {
	b := newBench(t, nil)
	plainServer := server(t, "sdk")
	plainServer.Name = "other"
	v := b.visit(server(t, "asking"), plainServer)
	for name, test := range map[string]struct {
		tool, input string
		want        string
		failed      bool
	}{
		"list":        {listResourcesTool, `{}`, "Server srv:\n- doc://empty, empty, text/plain, A\ufffd doc\n- doc://picture, picture, text/plain, A\ufffd doc\n- doc://text, text, text/plain, A\ufffd doc\n- doc://zip, zip, text/plain, A\ufffd doc\n- doc://user/{name}, template, user", false},
		"list of one": {listResourcesTool, `{"server":"srv"}`, "Server srv:\n- doc://empty", false},
		"text":        {readResourceTool, `{"server":"srv","uri":"doc://text"}`, "text of doc://text " + hidden, false},
		"template":    {readResourceTool, `{"server":"srv","uri":"doc://user/ann"}`, "text of doc://user/ann", false},
		"binary":      {readResourceTool, `{"server":"srv","uri":"doc://zip"}`, "[resource application/zip doc://zip, 2 bytes: not shown]", false},
		"empty":       {readResourceTool, `{"server":"srv","uri":"doc://empty"}`, "[the resource has no content]", false},
		"unknown":     {readResourceTool, `{"server":"srv","uri":"doc://user/none"}`, "the tool server srv could not read doc://user/none: Resource not found (code -32602)", true},
	} {
		r := prepare(t, v.own(test.tool), test.input).Run(t.Context(), hooks(nil))
		if !strings.HasPrefix(r.Text, test.want) || r.IsError != test.failed {
			t.Errorf("%s: %v %q, want %q", name, r.IsError, r.Text, test.want)
		}
	}
	picture := prepare(t, v.own(readResourceTool), `{"server":"srv","uri":"doc://picture"}`)
	if r := picture.Run(t.Context(), hooks(nil)); len(r.Images) != 1 || r.Images[0].MIME != "image/png" {
		t.Errorf("%+v", r)
	}
	if r := picture.Request(); r.Level != approval.Read || r.Server != "srv" || r.Summary != "mcp srv read resource doc://picture" {
		t.Errorf("%+v", r)
	}
	if r := v.run("link", `{}`); r.Text != `[resource doc://text, text; read_mcp_resource reads it from server "srv"]` {
		t.Errorf("%q", r.Text)
	}
	if _, err := v.own(readResourceTool).Prepare(nil, []byte(`{"server":"other","uri":"x"}`)); err == nil || !strings.Contains(err.Error(), "those that have are: srv") {
		t.Errorf("%v", err)
	}
	if names := b.visit(plainServer).names(); slices.Contains(names, listResourcesTool) || slices.Contains(names, readResourceTool) {
		t.Errorf("offered without resources: %q", names)
	}
}
