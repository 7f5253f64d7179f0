package hook

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/configfile"
	"parley.dev/parley/internal/event"
)

// Permission is what a hook says about the approval of a call.
type Permission string

// The permissions.
const (
	PermissionAllow Permission = "allow" // the call needs no approval of the user
	PermissionAsk   Permission = "ask"   // the user is asked even if the call needs no approval
)

// written is the JSON object on the stdout of a hook: our members and those of Claude Code.
type written struct {
	Decision string         `json:"decision"`
	Reason   string         `json:"reason"`
	Input    jsontext.Value `json:"input"`
	Context  string         `json:"context"`

	Continue       *bool           `json:"continue"`
	StopReason     string          `json:"stopReason"`
	SuppressOutput bool            `json:"suppressOutput"` // output of hooks is not shown anyway
	SystemMessage  string          `json:"systemMessage"`
	Specific       *specificAnswer `json:"hookSpecificOutput"`

	Unknown map[string]jsontext.Value `json:",embed"`
}

// A specificAnswer is hookSpecificOutput.
type specificAnswer struct {
	Event      string            `json:"hookEventName"`
	Permission string            `json:"permissionDecision"`
	Reason     string            `json:"permissionDecisionReason"`
	Updated    jsontext.Value    `json:"updatedInput"`
	Context    string            `json:"additionalContext"`
	Decision   *permissionAnswer `json:"decision"`

	Unknown map[string]jsontext.Value `json:",embed"`
}

// A permissionAnswer is the decision of a hook of PermissionRequest.
type permissionAnswer struct {
	Behavior  string         `json:"behavior"`
	Message   string         `json:"message"`
	Interrupt bool           `json:"interrupt"`
	Updated   jsontext.Value `json:"updatedInput"`

	Unknown map[string]jsontext.Value `json:",embed"`
}

// parse reads an answer. An answer that decides nothing and has unknown members is an error: one of
// them may be a decision with a slip in its name.
func parse(m event.HookMoment, text []byte) (answer, error) {
	if jsontext.Value(bytes.TrimSpace(text)).Kind() != '{' {
		return answer{}, errors.New("its answer is not a JSON object")
	}
	var w written
	if err := json.Unmarshal(text, &w); err != nil {
		return answer{}, errors.New("its answer makes no sense: " + configfile.Problem(err, &w, "member"))
	}
	a, err := w.answer(m)
	if err != nil {
		return answer{}, fmt.Errorf("its answer makes no sense: %w", err)
	}
	if len(a.Warnings) > 0 && (a.empty() || (m == event.BeforeTool || m == event.AtPermission) && a.Decision == "" && a.Permission == "" && !a.Stop) {
		return answer{}, errors.New("its answer makes no sense: " + strings.Join(a.Warnings, ", "))
	}
	return a, nil
}

// answer returns what w means at a moment.
func (w written) answer(m event.HookMoment) (answer, error) {
	a := answer{Reason: w.Reason, Input: w.Input, Context: w.Context, Message: w.SystemMessage, Warnings: unknownMembers("", w.Unknown)}
	if err := a.decide(m, w.Decision); err != nil {
		return a, err
	}
	if w.Specific != nil {
		if err := a.specify(m, *w.Specific); err != nil {
			return a, err
		}
	}
	if w.Continue != nil && !*w.Continue {
		a.Stop, a.Reason = true, cmp.Or(w.StopReason, a.Reason)
		a.Decision = event.HookDenied
		if m == event.AtTurnEnd {
			a.Decision, a.Context = "", "" // it ends
		}
	}
	switch {
	case a.Input != nil && m != event.BeforeTool, a.Updated != nil && m != event.BeforeTool && m != event.AtPermission:
		return a, fmt.Errorf("no input can be rewritten at %s", m)
	case a.Input != nil && a.Input.Kind() != '{', a.Updated != nil && a.Updated.Kind() != '{':
		return a, errors.New("the input is not an object")
	case m == event.AtTurnEnd && (a.Decision == event.HookContinued) != (strings.TrimSpace(a.Context) != ""):
		return a, errors.New("a context and the decision to continue need each other")
	}
	return a, nil
}

// decide takes the member decision: ours, or that of Claude Code.
func (a *answer) decide(m event.HookMoment, decision string) error {
	const block, approve = "block", "approve"
	decides := m != event.AtSessionStart && m != event.AtSessionEnd
	switch d := event.HookDecision(decision); {
	case decision == "" || d == event.HookAllowed || d == no(m) && decides:
		a.Decision = d
		if d == event.HookAllowed && m == event.AtPermission {
			a.Permission = PermissionAllow
		}
	case decision == approve:
		a.Decision = event.HookAllowed
		if m == event.BeforeTool || m == event.AtPermission {
			a.Permission = PermissionAllow
		}
	case decision == block && m == event.AtTurnEnd:
		a.Decision, a.Context, a.Reason = event.HookContinued, cmp.Or(a.Context, a.Reason), ""
	case decision == block && decides:
		a.Decision = event.HookDenied
	case !decides:
		return fmt.Errorf("%q is no decision at %s: nothing can be decided there", decision, m)
	default:
		return fmt.Errorf("%q is no decision at %s: expected allow or %s", decision, m, no(m))
	}
	return nil
}

// specify takes the member hookSpecificOutput.
func (a *answer) specify(m event.HookMoment, s specificAnswer) error {
	a.Warnings = append(a.Warnings, unknownMembers("hookSpecificOutput.", s.Unknown)...)
	if moment, ok := momentOf(s.Event); s.Event != "" && (!ok || moment != m) {
		return fmt.Errorf("hookSpecificOutput.hookEventName: %q is not the event", s.Event)
	}
	a.Context = cmp.Or(s.Context, a.Context)
	a.Updated = s.Updated
	if s.Permission != "" && m != event.BeforeTool {
		return fmt.Errorf("hookSpecificOutput.permissionDecision: nothing is permitted at %s", m)
	}
	switch s.Permission {
	case "":
	case "allow":
		a.Decision, a.Permission = event.HookAllowed, PermissionAllow
	case "ask":
		a.Decision, a.Permission = event.HookAllowed, PermissionAsk
	case "deny":
		a.Decision, a.Permission = event.HookDenied, ""
	default:
		return fmt.Errorf("hookSpecificOutput.permissionDecision: unknown value %q: expected allow, deny or ask", s.Permission)
	}
	a.Reason = cmp.Or(s.Reason, a.Reason)
	if s.Decision == nil {
		return nil
	}
	if m != event.AtPermission {
		return fmt.Errorf("hookSpecificOutput.decision: it belongs to PermissionRequest, not to %s", m)
	}
	a.Warnings = append(a.Warnings, unknownMembers("hookSpecificOutput.decision.", s.Decision.Unknown)...)
	a.Stop, a.Reason = s.Decision.Interrupt, cmp.Or(s.Decision.Message, a.Reason)
	switch s.Decision.Behavior {
	case "allow":
		if s.Decision.Updated != nil {
			return errors.New("hookSpecificOutput.decision.updatedInput: the input of a call that the user is asked about cannot be rewritten; do it at PreToolUse")
		}
		a.Decision, a.Permission = event.HookAllowed, PermissionAllow
	case "deny":
		a.Decision = event.HookDenied
	default:
		return fmt.Errorf("hookSpecificOutput.decision.behavior: unknown value %q: expected allow or deny", s.Decision.Behavior)
	}
	return nil
}

// unknownMembers returns a warning for each unknown member of an answer.
func unknownMembers(prefix string, unknown map[string]jsontext.Value) (warnings []string) {
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		warnings = append(warnings, fmt.Sprintf("there is no member %q", prefix+name))
	}
	return warnings
}
