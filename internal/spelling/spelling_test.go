package spelling

import "testing"

func TestNearest(t *testing.T) {
	known := []string{"model", "home", "log", "mcp_servers", "api_key_env"}
	for name, want := range map[string]string{
		"modle": "model", "Model": "model", "mdl": "", "lgo": "", "logs": "log", "mcpServers": "mcp_servers", "api_key": "api_key_env", "apikeyenv": "api_key_env",
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
	}{{"", "", 0}, {"a", "", 1}, {"", "ab", 2}, {"kitten", "sitting", 3}, {"same", "same", 0}} {
		if got := Distance(c.a, c.b); got != c.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", c.a, c.b, got, c.want)
		}
	}
}
