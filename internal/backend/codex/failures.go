package codex

import (
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
)

// The codes of notes.
const (
	NoteWarning  = "backend_warning"
	NoteRerouted = "backend_rerouted"
)

// endOf returns the end of the turn, as the agent reports it.
func (t *turn) endOf(ended turnInfo) *backend.End {
	switch ended.Status {
	case "interrupted":
		return &backend.End{Reason: event.TurnInterrupted}
	case "failed":
		if ended.Error == nil {
			ended.Error = &turnError{Message: "it does not report why"}
		}
		switch kind := kindOf(ended.Error.Info); kind {
		case "cyberPolicy", "misalignmentPolicyViolation":
			t.send(backend.Note{Level: event.Warning, Code: NoteWarning, Text: ended.Error.text()}, nil)
			return &backend.End{Reason: event.TurnRefused}
		case "unauthorized":
			return t.failed(t.agent.process.Failure(backend.CodeRefused, "it is not signed in: sign in with codex itself, then try again ("+ended.Error.text()+")"))
		case "", "other":
			return t.failed(t.agent.process.Failure(backend.CodeRefused, "the turn has failed: "+ended.Error.text()))
		default:
			return t.failed(t.agent.process.Failure(backend.CodeRefused, fmt.Sprintf("the turn has failed (%s): %s", kind, ended.Error.text())))
		}
	}
	return &backend.End{Reason: event.TurnCompleted}
}

// failed returns the end of a turn with a failure.
func (t *turn) failed(err error) *backend.End {
	failed, ok := errors.AsType[*backend.Error](err)
	if !ok {
		failed = t.agent.process.Failure(backend.CodeRefused, err.Error())
	}
	return &backend.End{Reason: event.TurnFailed, Failure: failed}
}

// kindOf returns the kind of an error; "": it has none.
func kindOf(info jsontext.Value) string {
	var kind string
	if info == nil || json.Unmarshal(info, &kind) == nil {
		return kind
	}
	var members map[string]jsontext.Value
	_ = json.Unmarshal(info, &members) // what is something else has no kind
	for name := range members {
		return name
	}
	return ""
}

// text returns an error for the user.
func (e *turnError) text() string {
	if e.AdditionalDetails != "" {
		return e.Message + ": " + e.AdditionalDetails
	}
	return e.Message
}

// retry yields that the agent tries a request to its model again. The text of the attempt before is not part of the answer.
func (t *turn) retry(n notice) {
	var failed turnError
	if !n.WillRetry || json.Unmarshal(n.Error, &failed) != nil {
		return // the end of the turn has it
	}
	if m := &t.message; m.grown {
		*m = message{number: m.number + 1}
	}
	retry := backend.Retry{Message: failed.text()}
	_, _ = fmt.Sscanf(failed.Message, "Reconnecting... %d/%d", &retry.Attempt, &retry.Max) // others have no numbers
	t.send(retry, nil)
}

// warn yields a warning, once.
func (t *turn) warn(n notice) {
	text := n.Message
	if text == "" {
		text = n.Summary
	}
	if n.Details != "" {
		text += "\n" + n.Details
	}
	t.note(text)
}

// serverStatus yields that a tool server cannot be used.
func (t *turn) serverStatus(n notice) {
	var status, reason string
	if json.Unmarshal(n.Status, &status) == nil && status == "failed" {
		_ = json.Unmarshal(n.Error, &reason) // it may have none
		t.note(fmt.Sprintf("The tool server %s cannot be used: %s", n.Name, reason))
	}
}

// noteAll yields what there is for the user from before the turn.
func (t *turn) noteAll() {
	for _, text := range t.agent.notes {
		t.note(text)
	}
	t.agent.notes = nil
}

func (t *turn) note(text string) {
	if text != "" && !t.agent.noted[text] {
		t.agent.noted[text] = true
		t.send(backend.Note{Level: event.Warning, Code: NoteWarning, Text: text}, nil)
	}
}
