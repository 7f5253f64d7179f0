package sse

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
)

// raw is a parameter that is JSON already; "" cannot be encoded.
type raw string

func (r raw) MarshalJSON() ([]byte, error) {
	if r == "" {
		return nil, errors.New("cannot be encoded")
	}
	return []byte(r), nil
}

func TestBody(t *testing.T) {
	var kept Tools
	encoded := 0
	encode := func(specs []model.ToolSpec) (all []raw) {
		encoded++
		for _, s := range specs {
			data, err := json.Marshal(s.Name + s.Description)
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, raw(data))
		}
		return all
	}
	spec := func(name string) model.ToolSpec {
		return model.ToolSpec{Name: name, Description: "!", Schema: []byte(`{"type":"object"}`)}
	}
	for _, test := range []struct {
		name    string
		specs   []model.ToolSpec
		want    string
		encodes int // so far
	}{
		{"no tools", nil, `{"stream":true,"model":"m"}`, 0},
		{"two", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 1},
		{"the same, elsewhere in memory", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 1},
		{"one less", []model.ToolSpec{spec("a")}, `{"stream":true,"model":"m","tools":["a!"]}`, 2},
		{"otherwise described", []model.ToolSpec{{Name: "a", Description: "?", Schema: spec("a").Schema}}, `{"stream":true,"model":"m","tools":["a?"]}`, 3},
		{"with another input", []model.ToolSpec{{Name: "a", Description: "?", Schema: []byte(`{}`)}}, `{"stream":true,"model":"m","tools":["a?"]}`, 4},
		{"as at first", []model.ToolSpec{spec("a"), spec("b")}, `{"stream":true,"model":"m","tools":["a!","b!"]}`, 4},
	} {
		got, err := Body(&kept, raw(`{"model":"m"}`), test.specs, encode)
		if err != nil || string(got) != test.want || encoded != test.encodes {
			t.Errorf("%s: %s, %v, encoded %d times; want %s, %d", test.name, got, err, encoded, test.want, test.encodes)
		}
	}
	for i := range 2 * keptLists {
		if _, err := Body(&kept, raw(`{"a":1}`), []model.ToolSpec{spec(fmt.Sprint(i))}, encode); err != nil {
			t.Fatal(err)
		}
	}
	if before := encoded; len(kept.kept) != keptLists {
		t.Errorf("%d lists are kept, not %d", len(kept.kept), keptLists)
	} else if _, err := Body(&kept, raw(`{"a":1}`), []model.ToolSpec{spec(fmt.Sprint(keptLists))}, encode); err != nil || encoded != before {
		t.Errorf("the oldest that ought to be kept is not: %v", err)
	}
	newest := kept.kept[0].specs
	if _, err := Body(&kept, raw(`{"a":1}`), []model.ToolSpec{spec("bad")}, func([]model.ToolSpec) []raw { return []raw{""} }); err == nil {
		t.Error("a tool that cannot be encoded is none")
	}
	if !slices.EqualFunc(newest, kept.kept[0].specs, sameSpec) {
		t.Error("what failed is kept")
	}
	if _, err := Body(&kept, raw(""), nil, encode); err == nil {
		t.Error("parameters that cannot be encoded are")
	}
}
