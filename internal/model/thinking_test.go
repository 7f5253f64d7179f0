package model

import "testing"

func TestLevel(t *testing.T) {
	few := []Thinking{Low, High}
	for _, test := range []struct {
		has        []Thinking
		want, sent Thinking
	}{
		{nil, "", ""},
		{nil, Off, ""},
		{nil, High, ""},
		{few, "", ""},
		{few, Off, Off},
		{few, Minimal, Low},
		{few, Low, Low},
		{few, Medium, Low},
		{few, High, High},
		{few, XHigh, High},
		{few, "extreme", Off},
		{[]Thinking{"other"}, High, Off},
		{[]Thinking{XHigh, Minimal}, High, XHigh}, // in whatever order
	} {
		if got := (Info{Thinking: test.has}).Level(test.want); got != test.sent {
			t.Errorf("a model with %q is asked for %q where %q is wanted, not %q", test.has, got, test.want, test.sent)
		}
	}
}
