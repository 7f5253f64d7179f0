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
	if b := tools[0].Binding(Change{}); b.Name != "Ours" || b.Tool != "ours" || b.Schema != nil || b.Adapt != nil {
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
	b := tools[1].Binding(Change{Adapt: change})
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
		got, err := tools[1].Binding(Change{Adapt: test.change}).Adapt(jsontext.Value(test.input))
		if string(got) != test.want || !errors.Is(err, test.err) {
			t.Errorf("%s became %s, %v; want %s, %v", test.input, got, err, test.want, test.err)
		}
	}
	if _, err := b.Adapt(jsontext.Value(`[]`)); err == nil {
		t.Error("a list is taken")
	}
}

// TestShow: a member without a shown name is left out if nothing depends on it, or if it is what the dialect sets anyway.
func TestShow(t *testing.T) {
	tool := ReadTools([]byte(`[{
		"name": "Find", "tool": "find", "schema": {"type": "object", "properties": {"text": {}, "max": {}}},
		"rename": {"text": "pattern"}, "set": {"mode": "lines"}
	}]`))[0]
	double := func(members map[string]jsontext.Value) error {
		if members["max"] != nil {
			members["max"] = append(members["max"].Clone(), members["max"]...)
		}
		return nil
	}
	for _, test := range []struct {
		show       func(map[string]jsontext.Value) error
		own, shown string // "": it cannot be shown
	}{
		{nil, `{"pattern":"a","max":1}`, `{"max":1,"text":"a"}`},
		{nil, `{"pattern":"a","mode":"lines","description":"why"}`, `{"text":"a"}`},
		{nil, `{"pattern":"a","mode":"files"}`, ""},
		{nil, `{"pattern":"a","depth":1}`, ""},
		{nil, `[]`, ""},
		{double, `{"pattern":"a","max":1}`, `{"max":11,"text":"a"}`},
		{func(map[string]jsontext.Value) error { return errors.New("no") }, `{"pattern":"a"}`, ""},
	} {
		got, err := tool.Binding(Change{Show: test.show}).Show(jsontext.Value(test.own))
		if string(got) != test.shown || (err == nil) != (test.shown != "") {
			t.Errorf("%s is shown as %s, %v; want %s", test.own, got, err, test.shown)
		}
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
