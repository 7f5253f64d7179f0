package hook

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// DefaultLimit is how long a hook may take that does not say.
const DefaultLimit = 10 * time.Second

// A Hook is a command that is asked at a moment.
type Hook struct {
	Name    string // for users and records; "": made of the command
	Match   string // the tools it is asked about, see match.go; "": all
	Command string // shell text
	// Event is the event of Claude Code that the hook was configured for. Its answers are read as
	// Claude Code reads them where that differs. "": it was configured for a moment.
	Event     string
	Limit     time.Duration
	OnFailure OnFailure
}

// OnFailure is what follows when a hook fails: a timeout, a bad answer, an exit code that
// means nothing.
type OnFailure string

// The ways. Without one, BeforeTool denies and all other moments allow.
const (
	FailureAllows OnFailure = "allow"
	FailureDenies OnFailure = "deny"
)

// A ready Hook is checked, and has everything that it left open.
type ready struct {
	Hook
	match func(name string) bool
}

func prepare(m event.HookMoment, position int, h Hook) (ready, error) {
	r := ready{Hook: h}
	if r.Name == "" {
		r.Name = nameOf(m, position, h.Command)
	}
	if strings.TrimSpace(h.Command) == "" {
		return r, errors.New("there is no command")
	}
	if h.Limit < 0 {
		return r, errors.New("the timeout is negative")
	}
	if h.Limit == 0 {
		r.Limit = DefaultLimit
	}
	switch {
	case h.OnFailure == FailureDenies && m == event.AtTurnEnd:
		return r, errors.New("on_failure: the end of a turn cannot be denied")
	case h.OnFailure == FailureDenies && (m == event.AtSessionStart || m == event.AtSessionEnd || h.Event == notification):
		return r, fmt.Errorf("on_failure: a hook of %s cannot deny anything", cmp.Or(h.Event, string(m)))
	case h.OnFailure == "" && m == event.BeforeTool:
		r.OnFailure = FailureDenies
	case h.OnFailure == "":
		r.OnFailure = FailureAllows
	case h.OnFailure != FailureAllows && h.OnFailure != FailureDenies:
		return r, fmt.Errorf("on_failure: unknown value %q: expected allow or deny", h.OnFailure)
	}
	if m == event.AtPrompt || m == event.AtTurnEnd {
		if h.Match != "" && h.Event == "" {
			return r, fmt.Errorf("match: there is no tool to match at %s", m)
		}
		h.Match = "" // Claude Code ignores it
	}
	var err error
	r.match, err = matcher(h.Match)
	return r, err
}

// nameOf returns the program of a command. What is not plainly one, and may hold a secret, is not
// shown: then the name is the hook's position.
func nameOf(m event.HookMoment, position int, command string) string {
	words := strings.Fields(command)
	if len(words) == 0 || strings.ContainsAny(words[0], "=$'\"`;|&<>(){}*?[]!#\\") {
		return fmt.Sprintf("%s %d", m, position+1)
	}
	return filepath.Base(words[0])
}
