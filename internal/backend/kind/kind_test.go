package kind

import "testing"

// TestOf: which names back ends can have.
func TestOf(t *testing.T) {
	for name, want := range map[string]string{
		"codex": "codex", "codex:work": "codex", "pi": "pi", "pi:omp": "pi", "acp:claude": "acp", "acp:a:b": "acp",
		"acp": "", "acp:": "", "codex:": "", "": "", ":": "", "other": "", "other:x": "", "openai": "", "acp:a/b": "", "acp:a b": "",
	} {
		k, ok := Of(name)
		if k.Name != want || ok != (want != "") {
			t.Errorf("Of(%q) = %q, %v; want %q", name, k.Name, ok, want)
		}
	}
}
