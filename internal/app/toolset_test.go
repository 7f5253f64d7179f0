package app

import (
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/tool"
)

// maxToolset is how many bytes the names, texts and schemas of all tools of parley run take, as JSON.
const maxToolset = 10_000

// TestToolsetSize holds what every request pays for the tools, those that not every session has included.
func TestToolsetSize(t *testing.T) {
	all := 0
	for _, b := range Toolset(true) {
		own, ok := tool.ByName(b.Tool)
		if !ok {
			t.Fatalf("there is no tool %s", b.Tool)
		}
		spec := model.ToolSpec{Name: b.Name, Description: own.Description(), Schema: own.Schema()}
		if r, ok := own.(tool.Restricted); ok {
			spec.Schema = r.OfferedSchema(&tool.Env{})
		}
		if err := spec.Schema.Compact(); err != nil {
			t.Fatal(err)
		}
		data, err := json.Marshal(spec)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%5d %s", len(data), b.Name)
		all += len(data)
	}
	if all > maxToolset {
		t.Errorf("the tools take %d bytes, more than %d", all, maxToolset)
	}
}
