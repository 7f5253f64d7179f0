package serve

import (
	"strings"
	"testing"
)

func TestConfigValues(t *testing.T) {
	for _, test := range []struct{ given, key, want string }{
		{`model="gpt-5"`, "model", `"gpt-5"`},
		{`model=gpt-5`, "model", `"gpt-5"`},
		{`a.b = true`, "a.b", `true`},
		{`roots=["/a", "/b"]`, "roots", `["/a","/b"]`},
		{`server={command = "x", args = ["1"], "odd key" = 2}`, "server", `{"args":["1"],"command":"x","odd key":2}`},
		{`x=`, "x", `""`},
		{`x=1` + "\n" + `y=2`, "x", `"1\ny=2"`},
	} {
		got, err := configValues([]string{test.given})
		if err != nil || len(got) != 1 || string(got[test.key]) != test.want {
			t.Errorf("%q is %v, %v", test.given, got, err)
		}
	}
	for _, bad := range []string{"model", "=1"} {
		if _, err := configValues([]string{bad}); err == nil || !strings.Contains(err.Error(), "KEY=VALUE") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}
