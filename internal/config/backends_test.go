package config

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/config/configtest"
)

// TestBackendErrors: each wrong value of a back end is an error that names the setting, the value and what is expected.
func TestBackendErrors(t *testing.T) {
	for _, test := range []struct{ file, want string }{
		{`"backends": {"other": {"command": ["x"]}}`, "backends.other"},
		{`"backends": {"acp": {"command": ["x"]}}`, "backends.acp"},
		{`"backends": {"acp:": {"command": ["x"]}}`, "backends.acp:"},
		{`"backends": {"acp:x": {}}`, "backends.acp:x: command is missing"},
		{`"backends": {"acp:x": {"command": [""]}}`, "command is missing"},
		{`"backends": {"codex": {"command": []}}`, "command is missing"},
		{`"backends": {"acp:x": {"command": ["bin/x"]}}`, `command: "bin/x" is neither a name to be found on PATH nor an absolute path`},
		{`"backends": {"acp:x": {"command": ["x"], "confine": "inside"}}`, `confine: unknown value "inside": expected inner, outer, outer! or none`},
		{`"backends": {"acp:x": {"command": ["x"], "approvals": "never"}}`, `approvals: unknown value "never": expected ask or agent`},
		{`"backends": {"acp:x": {"command": ["x"], "model": "a b"}}`, `model: "a b" has blanks`},
		{`"backends": {"acp:x": {"command": ["x"], "pass_env": ["KEY=1"]}}`, `pass_env: "KEY=1" is not the name of a variable`},
		{`"backends": {"acp:x": {"command": ["x"], "pass_env": [""]}}`, `pass_env: "" is not the name of a variable`},
		{`"backends": {"acp:x": {"command": ["x"], "config": {"style": null}}}`, `config: "style" is not a string, number, boolean or list`},
		{`"backends": {"acp:x": {"command": ["x"], "config": {"style": {"a": 1}}}}`, `config: "style" is not a string, number, boolean or list`},
		{`"backends": {"acp:x": {"command": ["x"], "start_limit": "soon"}}`, `start_limit: cannot read "soon": expected a time such as 30s`},
		{`"backends": {"acp:x": {"command": ["x"], "silence": "-1s"}}`, `silence: cannot read "-1s": expected a time such as 30s`},
		{`"backends": {"acp:x": {"command": ["x"], "idle": "0s"}}`, `idle: cannot read "0s": expected a time such as 30s`},
		{`"backends": {"acp:x": {"command": ["x"], "most": -1}}`, "most: -1 is below zero"},
		{`"backends": {"acp:x": {"command": ["x"], "state": ["relative"]}}`, `state[0]: "relative" is neither absolute nor below ~/`},
		{`"backends": {"acp:x": {"command": ["x"], "shared": true}}`, "shared"},
		{`"backend": "acp:none"`, `backend: back end "acp:none" is not configured; known: codex, pi`},
		{`"backends": {"pi": {"command": ["pi"]}}, "providers": {"pi": {"api": "chat", "base_url": "http://localhost:1"}}`, "a provider has the same name"},
	} {
		path := configtest.File(t, "{"+test.file+"}")
		_, err := Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", t.TempDir()))
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.file, err, test.want)
		}
	}
}

// TestBackendDefaults: what a back end does not set is that of its kind, and one named like its kind needs no configuration.
func TestBackendDefaults(t *testing.T) {
	path := configtest.File(t, `{"backend": "acp:x", "backends": {
		"acp:x": {"command": ["x"], "config": {"style": "terse", "level": 3, "on": true, "list": ["a"]}, "idle": "1m", "most": 2},
		"codex:work": {"confine": "outer!"},
	}}`)
	c, err := Load(configtest.Environment("PARLEY_CONFIG", path, "HOME", t.TempDir()))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(c.BackendNames(), " "); got != "acp:x codex codex:work pi" {
		t.Errorf("names: %s", got)
	}
	for _, test := range []struct{ name, command, confine string }{
		{"acp:x", "x", "outer"}, {"codex", "codex app-server", "inner"}, {"codex:work", "codex app-server", "outer!"}, {"pi", "pi --mode rpc", "outer"},
	} {
		b, err := c.FindBackend(test.name)
		if err != nil || strings.Join(b.Command, " ") != test.command || string(b.Confine) != test.confine {
			t.Errorf("%s: %+v, %v", test.name, b, err)
		}
	}
	b, _ := c.FindBackend("acp:x")
	if got := b.Config.Texts(); got["style"] != "terse" || got["level"] != "3" || got["on"] != "true" || got["list"] != `["a"]` {
		t.Errorf("texts: %v", got)
	}
	idle, most := b.IdleLimit(), b.Most
	if idle.String() != "1m0s" || most != 2 {
		t.Errorf("idle %v, most %d", idle, most)
	}
	if idle, most := c.Backends["codex:work"].IdleLimit(), c.Backends["codex:work"].Most; idle != 0 || most != 0 {
		t.Errorf("defaults: idle %v, most %d", idle, most)
	}
}
