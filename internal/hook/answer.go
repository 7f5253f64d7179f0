package hook

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/text"
)

// An answer is what one hook has decided.
type answer struct {
	Decision   event.HookDecision
	Reason     string
	Input      jsontext.Value // in the words of the shown tool
	Updated    jsontext.Value // the same in the words of Claude Code
	Context    string
	Permission Permission
	Stop       bool     // the turn is to end; Reason reports why
	Message    string   // for the user
	Warnings   []string // what of the answer has no effect
}

// empty reports whether an answer decides and adds nothing.
func (a answer) empty() bool {
	return a.Decision == "" && a.Input == nil && a.Updated == nil && a.Context == "" && a.Permission == "" && !a.Stop && a.Message == ""
}

// noCode is the exit code that says no; the reason is on stderr.
const noCode = 2

// said is everything that came out of a hook.
type said struct {
	exit     sandbox.Exit
	stdout   []byte
	stderr   []byte
	timedOut bool
	tooMuch  bool // stdout was cut
}

// no returns the decision of a moment that is not "allow".
func no(m event.HookMoment) event.HookDecision {
	if m == event.AtTurnEnd {
		return event.HookContinued
	}
	return event.HookDenied
}

// read makes an answer of what a hook said. The error is how it failed.
func (h ready) read(m event.HookMoment, s said) (answer, error) {
	switch {
	case s.exit.Killed != nil:
		return answer{}, fmt.Errorf("it was killed: %w", s.exit.Killed)
	case s.timedOut:
		return answer{}, fmt.Errorf("it took longer than %v", h.Limit.Round(time.Millisecond))
	case s.tooMuch:
		return answer{}, fmt.Errorf("it wrote more than %d bytes", maxOutput)
	case s.exit.Signal != "":
		return answer{}, fmt.Errorf("it was ended by %s", s.exit.Signal)
	case s.exit.Interrupted:
		return answer{}, errors.New("it was interrupted")
	case s.exit.Code == noCode:
		return h.refusal(m, plain(s.stderr))
	case s.exit.Code != 0:
		return answer{}, fmt.Errorf("it ended with exit code %d%s", s.exit.Code, lastLine(s.stderr))
	case len(bytes.TrimSpace(s.stdout)) == 0:
		return answer{}, nil
	}
	if text := bytes.TrimSpace(s.stdout); h.plainText(m) && text[0] != '{' {
		if h.addsText(m) {
			return answer{Context: plain(text)}, nil
		}
		return answer{}, nil
	}
	return parse(m, s.stdout)
}

// plainText reports whether what h writes may be other text than JSON.
func (h ready) plainText(m event.HookMoment) bool { return h.Event != "" || h.addsText(m) }

// addsText reports whether plain text is context for the model, as Claude Code takes it.
func (h ready) addsText(m event.HookMoment) bool {
	return m == event.AtPrompt || m == event.AtSessionStart
}

// maxLastLine is how much of a line of stderr an error has, in runes.
const maxLastLine = 200

// lastLine returns the last line that a hook wrote to stderr, after a colon: the reason that the
// shell gives for a script that it cannot run, for one. It returns "" if there is none.
func lastLine(stderr []byte) string {
	lines := strings.Split(strings.TrimSpace(plain(stderr)), "\n")
	line := []rune(strings.TrimSpace(lines[len(lines)-1]))
	switch {
	case len(line) == 0:
		return ""
	case len(line) > maxLastLine:
		return ": " + string(line[:maxLastLine-1]) + "…"
	}
	return ": " + string(line)
}

// refusal returns the answer of a hook that says no by its exit code.
func (h ready) refusal(m event.HookMoment, reason string) (answer, error) {
	switch {
	case m == event.AtSessionStart || m == event.AtSessionEnd || h.Event == notification:
		return answer{Message: reason}, nil // there is nothing to deny
	case m != event.AtTurnEnd:
		return answer{Decision: event.HookDenied, Reason: reason}, nil
	case reason == "":
		return answer{}, fmt.Errorf("it ended with exit code %d and did not say what the turn should go on with", noCode)
	}
	return answer{Decision: event.HookContinued, Context: reason}, nil
}

// maxReason is how much of stderr is used as a reason, in bytes.
const maxReason = 8 << 10

// plain returns the output of a hook as text for the model.
func plain(output []byte) string {
	return text.Clip(strings.TrimSpace(strings.ToValidUTF8(string(output), "\uFFFD")), maxReason, " …")
}
