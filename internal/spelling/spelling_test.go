package spelling

import (
	"testing"

	"pgregory.net/rapid"
)

func TestNearest(t *testing.T) {
	known := []string{"model", "home", "log", "mcp_servers", "api_key_env"}
	for name, want := range map[string]string{
		"modle": "model", "Model": "model", "mdl": "", "lgo": "log", "logs": "log", "mcpServers": "mcp_servers", "api_key": "api_key_env", "apikeyenv": "api_key_env",
		"": "", "x": "", "something_else": "",
	} {
		if got := Nearest(name, known); got != want {
			t.Errorf("Nearest(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"", "abc", 3},
		{"abc", "", 3},
		{"model", "model", 0},
		{"modle", "model", 1},
		{"mode", "model", 1},
		{"moddel", "model", 1},
		{"nodel", "model", 1},
		{"kitten", "sitting", 3},
		{"ab", "ba", 1},
		{"clear", "cost", 4},
	} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}

// TestDistanceLaws: it is symmetric, zero only between equals, and one mistake is 1.
func TestDistanceLaws(t *testing.T) {
	word := rapid.StringMatching(`[a-d]{0,6}`)
	rapid.Check(t, func(t *rapid.T) {
		a, b := word.Draw(t, "a"), word.Draw(t, "b")
		d := Distance(a, b)
		if d != Distance(b, a) || (d == 0) != (a == b) || d > max(len(a), len(b)) {
			t.Fatalf("Distance(%q, %q) = %d, back %d", a, b, d, Distance(b, a))
		}
		at := rapid.IntRange(0, len(a)).Draw(t, "at")
		if got := Distance(a, a[:at]+"x"+a[at:]); got != 1 {
			t.Fatalf("one insertion into %q costs %d", a, got)
		}
	})
}
