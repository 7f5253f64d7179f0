package serve

import (
	"slices"
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
		{[]string{"pisces", "--", "--host"}, "", "off", []string{"pisces", "--", "--host"}},
		{[]string{"run", "--host"}, "nonsense", "nonsense", []string{"run", "--host"}},
		{[]string{"flint", "--host="}, "", "", nil},
		{[]string{"flint", "--host=tcp:1"}, "", "", nil},
		{[]string{"flint"}, "nonsense", "", nil},
		{nil, "", "off", nil},
	} {
		j, rest, err := ParseJoining(c.args, func(string) string { return c.env })
		switch {
		case len(c.args) > 0 && c.rest == nil:
			if err == nil {
				t.Errorf("%q with %q: no error", c.args, c.env)
			}
		case err != nil || j.address != c.address || !slices.Equal(rest, c.rest):
			t.Errorf("%q with %q: %q, %q, %v", c.args, c.env, j.address, rest, err)
		}
	}
}
