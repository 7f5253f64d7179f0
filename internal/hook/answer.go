package hook

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
)

// An answer is what one hook says: the JSON object on its stdout. An unknown member is an
// error: it may be a decision with a slip in its name.
type answer struct {
	Decision event.HookDecision `json:"decision"`
	Reason   string             `json:"reason"`
	Input    jsontext.Value     `json:"input"`
	Context  string             `json:"context"`
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

// no is the decision of a moment that is not "allow".
func no(m event.HookMoment) event.HookDecision {
	if m == event.AtTurnEnd {
		return event.HookContinued
	}
	return event.HookDenied
}

// read makes an answer of what a hook said. The error is how it failed.
func (h ready) read(m event.HookMoment, s said) (answer, error) {
	switch {
	case s.timedOut:
		return answer{}, fmt.Errorf("it took longer than %v", h.Limit.Round(time.Millisecond))
	case s.tooMuch:
		return answer{}, fmt.Errorf("it wrote more than %d bytes", maxOutput)
	case s.exit.Signal != "":
		return answer{}, fmt.Errorf("it was ended by %s", s.exit.Signal)
	case s.exit.Interrupted:
		return answer{}, errors.New("it was interrupted")
	case s.exit.Code == noCode:
		return refusal(m, plain(s.stderr))
	case s.exit.Code != 0:
		return answer{}, fmt.Errorf("it ended with exit code %d", s.exit.Code)
	case len(bytes.TrimSpace(s.stdout)) == 0:
		return answer{}, nil
	}
	return parse(m, s.stdout)
}

func parse(m event.HookMoment, text []byte) (answer, error) {
	var a answer
	if jsontext.Value(bytes.TrimSpace(text)).Kind() != '{' {
		return a, errors.New("its answer is not a JSON object")
	}
	if err := json.Unmarshal(text, &a, json.RejectUnknownMembers(true)); err != nil {
		return a, fmt.Errorf("its answer makes no sense: %w", err)
	}
	known := []event.HookDecision{"", event.HookAllowed, no(m)}
	switch {
	case !slices.Contains(known, a.Decision):
		return a, fmt.Errorf("its answer makes no sense: %q is no decision at %s: expected allow or %s", a.Decision, m, no(m))
	case a.Input != nil && m != event.BeforeTool:
		return a, fmt.Errorf("its answer makes no sense: no input can be rewritten at %s", m)
	case a.Input != nil && a.Input.Kind() != '{':
		return a, errors.New("its answer makes no sense: the input is not an object")
	case m == event.AtTurnEnd && (a.Decision == event.HookContinued) != (strings.TrimSpace(a.Context) != ""):
		return a, errors.New("its answer makes no sense: a context and the decision to continue need each other")
	}
	return a, nil
}

// refusal is the answer of a hook that says no by its exit code.
func refusal(m event.HookMoment, reason string) (answer, error) {
	if m != event.AtTurnEnd {
		return answer{Decision: event.HookDenied, Reason: reason}, nil
	}
	if reason == "" {
		return answer{}, fmt.Errorf("it ended with exit code %d and did not say what the turn should go on with", noCode)
	}
	return answer{Decision: event.HookContinued, Context: reason}, nil
}

// maxReason is how much of stderr is told as a reason, in bytes.
const maxReason = 8 << 10

// plain is what a hook wrote as text for the model.
func plain(text []byte) string {
	t := strings.TrimSpace(strings.ToValidUTF8(string(text), "\uFFFD"))
	if len(t) <= maxReason {
		return t
	}
	n := maxReason
	for !utf8.RuneStart(t[n]) {
		n--
	}
	return t[:n] + " …"
}
