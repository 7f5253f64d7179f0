package screen

import (
	"fmt"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"
)

// An action is what a key does.
type action string

// The actions. Their names are those of the setting tui.keys.
const (
	keySend      action = "send"
	keyNewline   action = "newline"
	keyQueue     action = "queue"
	keyTakeBack  action = "take_back"
	keyInterrupt action = "interrupt"
	keyLeave     action = "leave"
	keySessions  action = "sessions"
	keyHistory   action = "history"
	keySettings  action = "settings"
	keyUnfold    action = "unfold"
	keyEditor    action = "editor"
	keyFocus     action = "focus"
	keyPageUp    action = "page_up"
	keyPageDown  action = "page_down"
	keyToEnd     action = "to_end"
	keyHelp      action = "help"
	keyEmpty     action = "empty"
	keyNew       action = "new"
	keyFork      action = "fork"
	keyRename    action = "rename"
	keyArchive   action = "archive"
	keyDelete    action = "delete"
	keyUndo      action = "undo"
	keyRestore   action = "restore"
)

// A binding is an action with its keys and what the help says about it.
type binding struct {
	action action
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
	{keySend, []string{"enter"}, "send; while a turn runs: steer it", everywhere},
	{keyNewline, []string{"shift+enter", "ctrl+j"}, "new line", everywhere},
	{keyQueue, []string{"alt+enter"}, "queue for after the turn", everywhere},
	{keyTakeBack, []string{"alt+up"}, "take the last queued text back", everywhere},
	{keyInterrupt, []string{"esc"}, "close what is open, else interrupt", everywhere},
	{keyLeave, []string{"ctrl+c"}, "clear the input; twice: leave", everywhere},
	{keySessions, []string{"ctrl+s"}, "sessions", everywhere},
	{keyHistory, []string{"ctrl+t"}, "history: go back, fork, restore files", everywhere},
	{keySettings, []string{"ctrl+o"}, "settings", everywhere},
	{keyUnfold, []string{"ctrl+x"}, "unfold all, fold again", everywhere},
	{keyEditor, []string{"ctrl+g"}, "the input in $EDITOR", everywhere},
	{keyFocus, []string{"tab"}, "complete; between input and approval", everywhere},
	{keyPageUp, []string{"pgup"}, "scroll up", everywhere},
	{keyPageDown, []string{"pgdown"}, "scroll down", everywhere},
	{keyToEnd, []string{"ctrl+end"}, "to the end", everywhere},
	{keyEmpty, []string{"ctrl+u"}, "empty the field", everywhere},
	{keyHelp, []string{"?"}, "these keys, in an empty input", everywhere},
	{keyNew, []string{"ctrl+n"}, "in Sessions: new", inSessions},
	{keyFork, []string{"ctrl+f"}, "in Sessions and History: fork", inSessions},
	{keyRename, []string{"ctrl+r"}, "in Sessions: rename", inSessions},
	{keyArchive, []string{"ctrl+a"}, "in Sessions: archive", inSessions},
	{keyDelete, []string{"ctrl+d"}, "in Sessions: delete", inSessions},
	{keyUndo, []string{"ctrl+z"}, "in Sessions: take the deletion back", inSessions},
	{keyRestore, []string{"ctrl+r"}, "in History: restore files", inHistory},
}

// Keys are the keys of each action. The zero Keys are the defaults.
type Keys struct{ changed map[action][]string }

// ParseKeys returns the keys of the setting tui.keys, which has for an action one key, or several with commas between
// them, such as "shift+enter,ctrl+j".
func ParseKeys(setting map[string]string) (Keys, error) {
	k := Keys{map[action][]string{}}
	for name, value := range setting {
		if !slices.ContainsFunc(bindings, func(b binding) bool { return string(b.action) == name }) {
			return Keys{}, fmt.Errorf("tui.keys: there is no action %q; possible are %s", name, actionNames())
		}
		for key := range strings.SplitSeq(value, ",") {
			key = strings.ToLower(strings.TrimSpace(key))
			if key == "" {
				return Keys{}, fmt.Errorf("tui.keys.%s: a key is missing", name)
			}
			k.changed[action(name)] = append(k.changed[action(name)], key)
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
func (k Keys) of(a action) []string {
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
func (k Keys) is(msg tea.KeyPressMsg, a action) bool {
	keys := k.of(a)
	return slices.Contains(keys, msg.Keystroke()) || msg.Text != "" && slices.Contains(keys, msg.Text)
}

// first returns the key of an action that hints name.
func (k Keys) first(a action) string { return displayKey(k.of(a)[0]) }

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
