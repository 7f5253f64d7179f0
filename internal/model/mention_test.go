package model

import "testing"

func TestTitle(t *testing.T) {
	for text, want := range map[string]string{
		"What does " + Mention("main.go", "file:///w/main.go") + " do?": "What does @main.go do?",
		Mention("a", "file:///a(1).go") + Mention("b c", "file:///b"):   "@a@b c",
		"see [the docs](https://example.com) and [@x]":                  "see [the docs](https://example.com) and [@x]",
	} {
		if got := (Message{Blocks: []Block{TextBlock(text)}}).Title(); got != want {
			t.Errorf("the title of %q is %q, want %q", text, got, want)
		}
	}
}
