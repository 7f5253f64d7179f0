package screen

import (
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"github.com/charmbracelet/x/ansi"
)

// TestTheme: without a theme of the user the background of the terminal decides, and NO_COLOR leaves no colour.
func TestTheme(t *testing.T) {
	frame := func(theme string, noColor bool, background color.Color) string {
		s := newStage(t, 80, 24, func(o *Options, _ *fakeHost) { o.Theme, o.NoColor = theme, noColor })
		s.send(tea.BackgroundColorMsg{Color: background})
		conversationScene(s)
		s.write("x")
		if *frameDir != "" {
			name := "theme-" + theme + map[bool]string{true: "-nocolor"}[noColor] + map[bool]string{true: "-light", false: "-dark"}[background == color.White] + ".ansi"
			_ = os.WriteFile(filepath.Join(*frameDir, name), []byte(s.m.View().Content), 0o600)
		}
		return s.m.View().Content
	}
	dark, light := frame("dark", false, color.Black), frame("light", false, color.Black)
	if dark == light || ansi.Strip(dark) != ansi.Strip(light) {
		t.Error("the themes do not differ in colours alone")
	}
	if frame("", false, color.Black) != dark || frame("", false, color.White) != light {
		t.Error("the background does not decide")
	}
	if frame("dark", false, color.White) != dark {
		t.Error("the background decides although the user has chosen")
	}
	frame("contrast", false, color.White)
	if plain := frame("dark", true, color.Black); strings.Contains(plain, "38;") || strings.Contains(plain, "48;") {
		t.Error("there are colours in spite of NO_COLOR")
	}
}

func TestKeys(t *testing.T) {
	for setting, want := range map[string]string{
		"":                          "",
		"interrupt:ctrl+g":          "tui.keys: ctrl+g is the key of",
		"fly:esc":                   "possible are archive, delete, editor",
		"send:":                     "tui.keys.send: a key is missing",
		"editor:ctrl+e":             "",
		"newline:shift+enter,alt+n": "",
	} {
		keys := map[string]string{}
		if action, key, ok := strings.Cut(setting, ":"); ok {
			keys[action] = key
		}
		_, err := ParseKeys(keys)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", setting, err, want)
		}
	}
	keys, err := ParseKeys(map[string]string{"sessions": "f2", "interrupt": "ctrl+q"})
	if err != nil {
		t.Fatal(err)
	}
	s := newStage(t, 80, 24, withSessions, func(o *Options, _ *fakeHost) { o.Keys = keys })
	s.press("ctrl+s")
	s.lacks("Sessions")
	s.send(tea.KeyPressMsg{Code: tea.KeyF2})
	s.shows("Sessions")
	s.press("ctrl+q")
	s.lacks("Sessions")
}
