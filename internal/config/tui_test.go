package config_test

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

// TestTUI: the settings of the terminal console are read, and what is wrong with them is named with its line.
func TestTUI(t *testing.T) {
	for text, want := range map[string]string{
		`{"tui":{"theme":"light","vi":true,"keys":{"interrupt":"esc","newline":"shift+enter, ctrl+j"}}}`: "",
		"{\n\"tui\":{\n\"theme\":\"green\"}}":               `:3: tui.theme: unknown theme "green": expected dark, light or contrast`,
		"{\n\"tui\":{\"keys\":{\n\"interrrupt\":\"esc\"}}}": `:3: tui.keys.interrrupt: there is no action "interrrupt"; did you mean "interrupt"?`,
		"{\n\"tui\":{\"keys\":{\n\"interrupt\":\"esc,\"}}}": `:3: tui.keys.interrupt: a key is missing: expected one such as ctrl+t`,
		"{\n\"tui\":{\"colour\":\"red\"}}":                  `there is no setting "tui.colour"`,
	} {
		c, err := config.Load(configtest.Environment("HOME", t.TempDir(), "PARLEY_CONFIG", configtest.File(t, text)))
		switch {
		case want == "" && (err != nil || c.TUI.Theme != "light" || !c.TUI.Vi || len(c.TUI.Keys) != 2):
			t.Errorf("%s: %+v, %v", text, c.TUI, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
