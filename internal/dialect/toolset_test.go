package dialect

import (
	"errors"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestShownTool(t *testing.T) {
	tools := ReadTools([]byte(`[
		{"name": "Ours", "tool": "ours"},
		{"name": "Read", "tool": "read", "group": "files", "description": "Reads", "schema": {"type": "object"},
		 "rename": {"file": "path"}, "set": {"limit": 7, "path": "none"}}
	]`))
	if len(tools) != 2 {
		t.Fatalf("%+v", tools)
	}
	if b := tools[0].Binding(nil); b.Name != "Ours" || b.Tool != "ours" || b.Schema != nil || b.Adapt != nil {
		t.Errorf("%+v", b)
	}
	refused := errors.New("not that")
	change := func(shown map[string]jsontext.Value) error {
		if shown["no"] != nil {
			return refused
		}
		delete(shown, "why")
		return nil
	}
	b := tools[1].Binding(change)
	if b.Name != "Read" || b.Tool != "read" || b.Group != "files" || b.Description != "Reads" || string(b.Schema) != `{"type": "object"}` {
		t.Errorf("%+v", b)
	}
	for _, test := range []struct {
		change func(map[string]jsontext.Value) error
		input  string
		want   string
		err    error
	}{
		{nil, `{}`, `{"limit":7,"path":"none"}`, nil},
		{nil, `{"file":"a","why":1}`, `{"limit":7,"path":"a","why":1}`, nil},
		{change, `{"file":"a","limit":2,"why":1}`, `{"limit":2,"path":"a"}`, nil},
		{change, `{"no":true}`, "", refused},
	} {
		got, err := tools[1].Binding(test.change).Adapt(jsontext.Value(test.input))
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s became %s, %v; want %s, %v", test.input, got, err, test.want, test.err)
		}
	}
	if _, err := b.Adapt(jsontext.Value(`[]`)); err == nil {
		t.Error("a list is taken")
	}
}

func TestReadTools(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("a broken toolset is taken")
		}
	}()
	ReadTools([]byte(`{}`))
}
