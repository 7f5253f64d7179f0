package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An Action is what a key does.
type Action string

// The actions. Their names are those of the setting tui.keys.
const (
	Send      Action = "send"
	Newline   Action = "newline"
	Queue     Action = "queue"
	TakeBack  Action = "take_back"
	Interrupt Action = "interrupt"
	Leave     Action = "leave"
	Sessions  Action = "sessions"
	History   Action = "history"
	Settings  Action = "settings"
	Unfold    Action = "unfold"
	Editor    Action = "editor"
	Focus     Action = "focus"
	PageUp    Action = "page_up"
	PageDown  Action = "page_down"
	ToEnd     Action = "to_end"
	Help      Action = "help"
	Empty     Action = "empty"
	New       Action = "new"
	Fork      Action = "fork"
	Rename    Action = "rename"
	Archive   Action = "archive"
	Delete    Action = "delete"
	Undo      Action = "undo"
	Restore   Action = "restore"
)

// A binding is an action with its keys and what the help says about it.
type binding struct {
	action Action
	keys   []string
	help   string
	place  place
}

// A place is where the key of an action counts. The same key may do different things in different places.
type place uint8

const (
	everywhere place = iota
	inSessions
	inHistory
)

// bindings are the defaults, in the order of the help.
var bindings = []binding{
	{Send, []string{"enter"}, "send; while a turn runs: steer it", everywhere},
	{Newline, []string{"shift+enter", "ctrl+j"}, "new line", everywhere},
	{Queue, []string{"alt+enter"}, "queue for after the turn", everywhere},
	{TakeBack, []string{"alt+up"}, "take the last queued text back", everywhere},
	{Interrupt, []string{"esc"}, "close what is open, else interrupt", everywhere},
	{Leave, []string{"ctrl+c"}, "clear the input; twice: leave", everywhere},
	{Sessions, []string{"ctrl+s"}, "sessions", everywhere},
	{History, []string{"ctrl+t"}, "history: go back, fork, restore files", everywhere},
	{Settings, []string{"ctrl+o"}, "settings", everywhere},
	{Unfold, []string{"ctrl+x"}, "unfold all, fold again", everywhere},
	{Editor, []string{"ctrl+g"}, "the input in $EDITOR", everywhere},
	{Focus, []string{"tab"}, "complete; between input and approval", everywhere},
	{PageUp, []string{"pgup"}, "scroll up", everywhere},
	{PageDown, []string{"pgdown"}, "scroll down", everywhere},
	{ToEnd, []string{"ctrl+end"}, "to the end", everywhere},
	{Empty, []string{"ctrl+u"}, "empty the field", everywhere},
	{Help, []string{"?"}, "these keys, in an empty input", everywhere},
	{New, []string{"ctrl+n"}, "in Sessions: new", inSessions},
	{Fork, []string{"ctrl+f"}, "in Sessions and History: fork", inSessions},
	{Rename, []string{"ctrl+r"}, "in Sessions: rename", inSessions},
	{Archive, []string{"ctrl+a"}, "in Sessions: archive", inSessions},
	{Delete, []string{"ctrl+d"}, "in Sessions: delete", inSessions},
	{Undo, []string{"ctrl+z"}, "in Sessions: take the deletion back", inSessions},
	{Restore, []string{"ctrl+r"}, "in History: restore files", inHistory},
}

// Keys are the keys of each action. The zero Keys are the defaults.
type Keys struct{ changed map[Action][]string }

// ParseKeys returns the keys of the setting tui.keys, which has for an action one key, or several with commas between
// them, such as "shift+enter,ctrl+j".
func ParseKeys(setting map[string]string) (Keys, error) {
	k := Keys{map[Action][]string{}}
	for name, value := range setting {
		if !slices.ContainsFunc(bindings, func(b binding) bool { return string(b.action) == name }) {
			return Keys{}, fmt.Errorf("tui.keys: there is no action %q; possible are %s", name, actionNames())
		}
		for key := range strings.SplitSeq(value, ",") {
			key = strings.ToLower(strings.TrimSpace(key))
			if key == "" {
				return Keys{}, fmt.Errorf("tui.keys.%s: a key is missing", name)
			}
			k.changed[Action(name)] = append(k.changed[Action(name)], key)
		}
	}
	return k, k.checkConflicts()
}

// checkConflicts returns an error if a key has two actions in one place.
func (k Keys) checkConflicts() error {
	for i, a := range bindings {
		for _, b := range bindings[:i] {
			if a.place != b.place && a.place != everywhere && b.place != everywhere {
				continue
			}
			for _, key := range k.of(a.action) {
				if slices.Contains(k.of(b.action), key) {
					return fmt.Errorf("tui.keys: %s is the key of %s and of %s", key, b.action, a.action)
				}
			}
		}
	}
	return nil
}

// of returns the keys of an action.
func (k Keys) of(a Action) []string {
	if keys, ok := k.changed[a]; ok {
		return keys
	}
	for _, b := range bindings {
		if b.action == a {
			return b.keys
		}
	}
	return nil
}

// is reports whether a key does an action.
func (k Keys) is(msg tea.KeyPressMsg, a Action) bool {
	keys := k.of(a)
	return slices.Contains(keys, msg.Keystroke()) || msg.Text != "" && slices.Contains(keys, msg.Text)
}

// first returns the key of an action that hints name.
func (k Keys) first(a Action) string { return displayKey(k.of(a)[0]) }

// displayKey returns the name of a key as the help spells it.
func displayKey(key string) string {
	parts := strings.Split(key, "+")
	for i, p := range parts {
		switch p {
		case "enter", "esc", "tab", "up", "down", "end", "home", "space":
			parts[i] = strings.ToUpper(p[:1]) + p[1:]
		case "pgup":
			parts[i] = "PgUp"
		case "pgdown":
			parts[i] = "PgDn"
		}
	}
	return strings.Join(parts, "+")
}

func actionNames() string {
	names := make([]string, len(bindings))
	for i, b := range bindings {
		names[i] = string(b.action)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
