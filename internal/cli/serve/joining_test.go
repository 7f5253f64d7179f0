package serve

import (
	"slices"
	"strings"
	"testing"
)

// TestParseJoining: --host is taken from the command line of a dialect, wherever it stands, and from the environment.
func TestParseJoining(t *testing.T) {
	for _, c := range []struct {
		args    []string
		env     string
		address string
		rest    []string // nil: an error
	}{
		{[]string{"flint"}, "", "off", []string{"flint"}},
		{[]string{"flint"}, "auto", "auto", []string{"flint"}},
		{[]string{"flint", "--host"}, "off", "auto", []string{"flint"}},
		{[]string{"flint", "--host", "unix:/s", "--model", "m"}, "", "unix:/s", []string{"flint", "--model", "m"}},
		{[]string{"flint", "--host", "--model", "m"}, "", "auto", []string{"flint", "--model", "m"}},
		{[]string{"loaf", "--host", "rpc"}, "", "auto", []string{"loaf", "rpc"}},
		{[]string{"scaiflux", "serve", "--host=off"}, "auto", "off", []string{"scaiflux", "serve"}},
		{[]string{"codex", "app-server", "-c", "a=b", "--host"}, "", "auto", []string{"codex", "app-server", "-c", "a=b"}},
		{[]string{"codex", "exec", "--host"}, "", "off", []string{"codex", "exec", "--host"}},
		{[]string{"codex"}, "", "off", []string{"codex"}},
		{[]string{"flint", "--backend", "acp:a", "--host"}, "", "auto", []string{"flint"}},
		{[]string{"flint", "--backend=acp:a", "-m", "m"}, "", "off", []string{"flint", "-m", "m"}},
		{[]string{"flint", "--backend"}, "", "", nil},
		{[]string{"pisces", "--", "--host"}, "", "off", []string{"pisces", "--", "--host"}},
		{[]string{"run", "--host"}, "nonsense", "nonsense", []string{"run", "--host"}},
		{[]string{"flint", "--host", "ws://127.0.0.1:4100", "-m", "m"}, "", "ws://127.0.0.1:4100", []string{"flint", "-m", "m"}},
		{[]string{"flint"}, "wss://devbox/parley/", "wss://devbox/parley/", []string{"flint"}},
		{[]string{"flint", "--host=ws://"}, "", "", nil},
		{[]string{"flint", "--host=ws://a?token=parley_x"}, "", "", nil},
		{[]string{"flint", "--host=wss://user:parley_x@a"}, "", "", nil},
		{[]string{"flint", "--host=wss://a/#parley_x"}, "", "", nil},
		{[]string{"flint", "--host=ws://a:parley_x"}, "", "", nil},
		{[]string{"flint", "--host="}, "", "", nil},
		{[]string{"flint", "--host=tcp:1"}, "", "", nil},
		{[]string{"flint"}, "nonsense", "", nil},
		{[]string{"flint"}, "unix:", "", nil}, // the variable with the path is empty
		{[]string{"flint", "--host=unix:"}, "", "", nil},
		{nil, "", "off", nil},
	} {
		j, rest, err := ParseJoining(c.args, func(string) string { return c.env })
		switch {
		case len(c.args) > 0 && c.rest == nil:
			if err == nil || strings.Contains(err.Error(), "parley_x") {
				t.Errorf("%q with %q: %v", c.args, c.env, err)
			}
		case err != nil || j.address != c.address || !slices.Equal(rest, c.rest):
			t.Errorf("%q with %q: %q, %q, %v", c.args, c.env, j.address, rest, err)
		}
	}
}
