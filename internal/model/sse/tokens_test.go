package sse

import (
	"testing"

	"github.com/go-json-experiment/json"
)

func TestTokens(t *testing.T) {
	for text, want := range map[string]Tokens{
		"5": 5, "5.0": 5, "5.9": 0, "1e3": 1000, "0": 0, "-1": 0, "null": 0, `"5"`: 0, "true": 0, "{}": 0, "1e400": 0,
	} {
		got := Tokens(7)
		if err := json.Unmarshal([]byte(text), &got); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", text, got, err, want)
		}
	}
}
