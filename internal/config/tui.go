package config

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"parley.dev/parley/internal/spelling"
)

// TUISettings are those of the terminal console; docs/tui.md.
type TUISettings struct {
	Theme string            `json:"theme,omitzero"` // dark, light or contrast; "": as the terminal's background is
	Vi    bool              `json:"vi,omitzero"`    // the keys of vi in the input
	Keys  map[string]string `json:"keys,omitzero"`  // by action; several keys have commas between them
}

// Themes are the values of TUISettings.Theme.
var Themes = []string{"dark", "light", "contrast"}

// KeyActions are the names in TUISettings.Keys.
var KeyActions = []string{
	"archive", "delete", "editor", "empty", "focus", "fork", "help", "history", "interrupt", "leave", "new", "newline", "page_down", "page_up",
	"queue", "rename", "restore", "send", "sessions", "settings", "take_back", "to_end", "undo", "unfold",
}

func (t TUISettings) check() error {
	if t.Theme != "" && !slices.Contains(Themes, t.Theme) {
		return invalid("tui.theme", fmt.Errorf("unknown theme %q: expected dark, light or contrast", t.Theme))
	}
	for _, name := range slices.Sorted(maps.Keys(t.Keys)) {
		if !slices.Contains(KeyActions, name) {
			text := fmt.Sprintf("there is no action %q", name)
			if near := spelling.Nearest(name, KeyActions); near != "" {
				text += fmt.Sprintf("; did you mean %q?", near)
			}
			return invalid("tui.keys."+name, errors.New(text))
		}
		for key := range strings.SplitSeq(t.Keys[name], ",") {
			if strings.TrimSpace(key) == "" {
				return invalid("tui.keys."+name, errors.New("a key is missing: expected one such as ctrl+t, or several with commas between them"))
			}
		}
	}
	return nil
}
