package repl

import (
	"context"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/console"
	"parley.dev/parley/internal/dialect/scaiflux"
	"parley.dev/parley/internal/event"
)

// A turn is what one prompt causes.
type turn struct {
	*repl
	asked       *permission // what the user is asked now; nil: nothing
	interrupted bool
	calls       map[string]string // names by tool id
}

// prompt sends a prompt and shows the turn to its end.
func (r *repl) prompt(ctx context.Context, text string) error {
	select {
	case <-r.Interrupts: // from before the turn
	default:
	}
	if err := r.client.send(scaiflux.Prompt{Type: "prompt", Text: text}); err != nil {
		return err
	}
	t := &turn{repl: r, calls: map[string]string{}}
	defer r.Screen.Status("")
	defer t.withdraw()
	stopped := ctx.Done()
	for {
		var answered chan struct{}
		if t.asked != nil {
			answered = t.asked.done
		}
		select {
		case e, open := <-r.client.events:
			if !open {
				return r.client.err
			}
			if ended, err := t.show(ctx, e); ended || err != nil {
				return err
			}
		case <-answered:
			if err := t.answer(); err != nil {
				return err
			}
		case <-r.Interrupts:
			if t.interrupted {
				return errForced
			}
			r.Screen.Dim("Interrupting. Ctrl-C again ends the program.")
			if err := t.interrupt(); err != nil {
				return err
			}
		case <-stopped:
			stopped = nil
			if err := t.interrupt(); err != nil {
				return err
			}
		}
	}
}

// interrupt interrupts the turn; its end is still to come.
func (t *turn) interrupt() error {
	t.interrupted = true
	t.withdraw()
	return t.client.send(scaiflux.Interrupt{Type: "interrupt"})
}

// show shows an event; ended: it was the last of the turn.
func (t *turn) show(ctx context.Context, e any) (ended bool, err error) {
	switch e := e.(type) {
	case *scaiflux.TurnStarted:
		t.Screen.Status("waiting for the model")
	case *scaiflux.TextDelta:
		return false, t.Screen.Answer(e.Delta)
	case *scaiflux.ToolStart:
		if err := t.Screen.EndAnswer(); err != nil {
			return false, err
		}
		t.calls[e.ToolID] = e.Name
		t.view.Call(e.Name, e.Input)
	case *scaiflux.PermissionRequest:
		return false, t.permit(ctx, e)
	case *scaiflux.ToolResult:
		t.withdraw()
		t.showResult(e)
		t.Screen.Status("waiting for the model")
	case *scaiflux.Error:
		err := t.Screen.EndAnswer()
		t.Screen.Error(e.Message)
		return e.TurnID == "", err // a prompt that was refused has no turn
	case *scaiflux.TurnComplete:
		err := t.Screen.EndAnswer()
		if e.StopReason != "end_turn" && e.StopReason != "error" {
			t.Screen.Warn("the turn ended: " + e.StopReason)
		}
		return true, err
	}
	return false, nil
}

// resultLines is how many lines of a result are shown.
const resultLines = 20

func (t *turn) showResult(e *scaiflux.ToolResult) {
	name := t.calls[e.ToolID]
	delete(t.calls, e.ToolID)
	text := strings.TrimRight(e.Output, "\n")
	if text == "" && !e.IsError {
		return
	}
	lines := strings.Split(text, "\n")
	if e.IsError && len(lines) == 1 {
		t.view.End(event.Failed, text)
		return
	}
	rest := len(lines) - resultLines
	if rest > 0 {
		lines = lines[:resultLines]
	}
	for _, line := range lines {
		t.Screen.Dim("  " + line)
	}
	if rest > 0 {
		t.Screen.Dim(fmt.Sprintf("  (%d more lines)", rest))
	}
	if e.IsError {
		t.view.End(event.Failed, name)
	}
}

// A permission is a request that the user decides.
type permission struct {
	request  *scaiflux.PermissionRequest
	withdraw context.CancelFunc
	done     chan struct{} // closed when decision and err are set
	decision console.Decision
	err      error
}

// permit decides a request, or begins to ask the user.
func (t *turn) permit(ctx context.Context, e *scaiflux.PermissionRequest) error {
	switch {
	case t.interrupted || ctx.Err() != nil:
		return nil // the interrupt withdraws it
	case t.settled(e):
		return t.respond(e, console.Decision{Allow: true})
	case t.Console == nil:
		return t.respond(e, console.Decision{Reason: "the call needs approval, and no user is at a terminal"})
	}
	t.Screen.Status("")
	ctx, cancel := context.WithCancel(ctx)
	p := &permission{request: e, withdraw: cancel, done: make(chan struct{})}
	t.asked = p
	go func() {
		defer close(p.done)
		p.decision, p.err = t.Console.Approve(ctx, approvalOf(e))
	}()
	return nil
}

// settled reports whether a call needs no question: the mode covers it, or the user has allowed it
// for the session and all of it can be seen. What a rule of the project is against is always asked
// about.
func (t *turn) settled(e *scaiflux.PermissionRequest) bool {
	if strings.HasPrefix(reason(e), scaiflux.DenyAdvice) {
		return false
	}
	return covers(approval.Mode(e.ActiveMode), approval.Mode(e.RequiredMode)) || t.allowed[key(e)] && !console.HasInvisible(e.Details.ToolInput)
}

func covers(active, required approval.Mode) bool {
	switch active {
	case approval.FullAccess:
		return true
	case approval.WorkspaceWrite:
		return required == approval.WorkspaceWrite || required == approval.ReadOnly
	case approval.ReadOnly, approval.Plan:
		return required == approval.ReadOnly
	}
	return false
}

func reason(e *scaiflux.PermissionRequest) string {
	if e.Details.Reason == nil {
		return ""
	}
	return *e.Details.Reason
}

func approvalOf(e *scaiflux.PermissionRequest) console.Approval {
	a := console.Approval{Tool: e.Tool, Input: e.Details.ToolInput, Session: "this very call of " + e.Tool}
	if text := reason(e); text != "" {
		a.Details = []string{text}
	}
	var in struct {
		Command string `json:"command"`
	}
	if err := json.Unmarshal(e.Details.ToolInput, &in); err == nil {
		a.Command = in.Command
	}
	if e.RequiredMode != string(approval.FullAccess) {
		a.Session = "calls of " + e.Tool + " that need no more than " + e.RequiredMode
	}
	return a
}

// key returns what a decision for the session is kept by: calls that need full access by all of their
// input, others by their tool and what they need.
func key(e *scaiflux.PermissionRequest) string {
	parts := []string{e.Tool, e.RequiredMode}
	if e.RequiredMode == string(approval.FullAccess) {
		parts = append(parts, string(e.Details.ToolInput))
	}
	return strings.Join(parts, "\x00")
}

// answer sends the user's decision.
func (t *turn) answer() error {
	p := t.asked
	t.asked = nil
	p.withdraw()
	if p.err != nil {
		return nil // withdrawn
	}
	if p.decision.Session {
		t.allowed[key(p.request)] = true
	}
	return t.respond(p.request, p.decision)
}

func (t *turn) respond(e *scaiflux.PermissionRequest, d console.Decision) error {
	response := scaiflux.PermissionResponse{Type: "permission_response", RequestID: e.RequestID, Decision: "deny"}
	switch {
	case d.Allow:
		response.Decision = "allow"
		t.Screen.Status("running " + e.Tool)
	case d.Reason != "":
		response.Reason = &d.Reason
	}
	return t.client.send(response)
}

// withdraw ends the question that the user is asked.
func (t *turn) withdraw() {
	if t.asked == nil {
		return
	}
	t.asked.withdraw()
	<-t.asked.done
	t.asked = nil
}
