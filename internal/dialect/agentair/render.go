package agentair

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A view is what a client knows of a session. render is a pure fold over it: record in,
// messages out.
type view struct {
	session    int64
	prompts    string // what the ids of the connection's own messages begin with
	extended   bool
	eachRound  bool // a Complete for each step with tools, before them
	single     bool // no batches: each request is a message of its own
	turn       TurnID
	own        bool     // the turn has the number of a message of the connection
	earlier    []TurnID // of the connection's messages that the turn answers too, each with a Complete at its end
	meter      meter
	window     int
	sequence   bool            // the last answer ended with a stop sequence
	step       []*call         // of the step under way, in the model's order
	shown      event.MessageID // whose calls were requested last, together
	calls      map[event.CallID]*call
	approvals  map[event.ApprovalID]*call
	questions  []event.QuestionAsked // pending
	interrupts int                   // commands that end with the turn
	batch      func() string
	out        []any // UIMessage, or one of the three below
}

// A call is a tool call of the running turn.
type call struct {
	event.ToolIntended
	approval *event.ApprovalAsked // pending
	known    bool                 // its approval was requested, it has begun, or is over
}

// What the connection has to remember beside what it sends.
type (
	// permissionMessage is a message that requests permissions, and those.
	permissionMessage struct {
		message UIMessage
		id      string // of the call or the batch
		batch   bool
		pending []pendingPermission
	}

	// pendingPermission is one permission that is requested.
	pendingPermission struct {
		id       string // as the client names it
		approval event.ApprovalID
		needs    approval.Request
		wanted   []approval.Grant // what an approval stores in any case: the call is a request for it
		request  PermissionRequest
	}

	// questionMessage is a message with questions.
	questionMessage struct {
		message   UserInteractionRequired
		question  event.QuestionID
		questions []Question
	}

	// settled: no request of that id is open any more.
	settled struct{ id string }
)

func (v *view) send(m UIMessage) { v.out = append(v.out, m) }

// render returns the messages that report a record to a client. Kinds without a case have no message.
func (v *view) render(rec event.Record) []any {
	v.out = nil
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		v.turn, v.earlier = TurnID{Role: RoleAssistant}, nil
		v.turn.Sequence, v.own = v.sequenceOf(e.Prompt)
		v.calls, v.approvals, v.questions = map[event.CallID]*call{}, map[event.ApprovalID]*call{}, nil
	case event.UserMessage:
		v.take(e.ID)
	case event.RequestCounted:
		v.meter = meter{input: e.Tokens}
		v.tokenUpdate(e.Tokens, 0)
	case event.TextDelta:
		v.send(TextChunk{e.Text, v.session, v.turn})
		if output, due := v.meter.add(len(e.Text)); due {
			v.tokenUpdate(v.meter.input, output)
		}
	case event.AssistantMessage:
		v.tokens(e)
		v.sequence = e.Stop == "stop_sequence"
		if v.eachRound && slices.ContainsFunc(e.Blocks, func(b model.Block) bool { return b.Call != nil }) {
			v.send(Complete{v.session, v.turn, StopToolUse})
		}
	case event.StepEnded:
		v.step, v.shown = nil, ""
	case event.TurnEnded:
		v.endTurn(e)
	case event.ContextEstimated:
		v.window = e.Window
	case event.RetryStarted:
		seconds := time.Duration(e.Delay).Round(time.Second) / time.Second
		v.system(fmt.Sprintf("%s, retrying in %ds (%d/%d)", retryReason(e.Failure.Kind), seconds, e.Attempt, e.Max))
	case event.Compacted:
		if rec.Turn != "" {
			v.system(fmt.Sprintf("Conversation compacted automatically (%d -> %d tokens of context)", e.TokensBefore, e.TokensAfter))
		}
	case event.Notice:
		v.system(e.Text)
	case event.ServerChanged:
		if e.Status == event.ServerFailed && !e.Again {
			v.system("tool server " + e.Server + ": " + e.Error)
		}
	case event.BudgetWarned:
		v.system(e.Text)
	case event.BudgetExceeded:
		v.system(e.Text)
	default:
		v.renderCall(rec.Event)
	}
	return v.out
}

func retryReason(kind string) string {
	if kind == string(model.RateLimited) {
		return "Rate limited"
	}
	return "Provider unavailable"
}

func (v *view) system(text string) { v.send(System{text, &v.session}) }

func (v *view) tokens(e event.AssistantMessage) {
	v.meter = meter{}
	if e.Usage.Estimated || e.Partial {
		return // nothing was reported
	}
	v.tokenUpdate(e.Usage.Context(), e.Usage.Output)
}

// tokenUpdate sends the size of a request, and of its answer so far.
func (v *view) tokenUpdate(input, output int) {
	m := TokenUpdate{InputTokens: int64(input), OutputTokens: int64(output), SessionID: v.session}
	if v.extended {
		m.TokenMore = &TokenMore{int32(min(v.window, 1<<31-1)), v.turnID()}
	}
	v.send(m)
}

func (v *view) turnID() *TurnID {
	turn := v.turn
	return &turn
}

func (v *view) turnMore() *TurnMore {
	if !v.extended {
		return nil
	}
	return &TurnMore{v.turnID()}
}

// take gives the running turn the number of a message of the connection that it answers from now on: the turn of a session of another
// protocol may take in what waits.
func (v *view) take(id event.PromptID) {
	n, own := v.sequenceOf(id)
	if !own || v.own && n == v.turn.Sequence { // else it began with it
		return
	}
	if v.own {
		v.earlier = append(v.earlier, v.turn)
	}
	v.turn.Sequence, v.own = n, true
}

// endTurn closes the turn: whatever became of it, Complete is its last word.
func (v *view) endTurn(e event.TurnEnded) {
	switch e.Reason {
	case event.TurnFailed, event.TurnBudget:
		message := "The turn failed"
		if e.Failure != nil {
			message = e.Failure.Message
		}
		v.send(Error{message, &v.session, v.turnMore()})
	case event.TurnInterrupted:
		v.system("Request cancelled")
	}
	reason := stops[e.Reason]
	if e.Reason == event.TurnCompleted && v.sequence {
		reason = StopStopSequence
	}
	v.sequence = false
	for _, turn := range append(v.earlier, v.turn) {
		v.send(Complete{v.session, turn, reason})
	}
	for ; v.interrupts > 0; v.interrupts-- {
		v.send(v.done("interrupt"))
	}
}

// stops is why a turn ended. A limit of steps leaves the model with tools that it wanted.
var stops = map[event.TurnReason]StopReason{
	event.TurnCompleted: StopEndTurn, event.TurnRefused: StopEndTurn, event.TurnFailed: StopEndTurn,
	event.TurnInterrupted: StopEndTurn, event.TurnMaxTokens: StopMaxTokens, event.TurnStepLimit: StopToolUse,
	event.TurnBudget: StopEndTurn,
}

// done returns the end of a command that succeeded.
func (v *view) done(command string) CommandComplete {
	m := CommandComplete{Command: command, SessionID: v.session}
	if v.extended {
		m.CommandMore = &CommandMore{Success: true}
	}
	return m
}

func (v *view) renderCall(e event.Event) {
	switch e := e.(type) {
	case event.ToolIntended:
		v.startCall(e)
	case event.ApprovalAsked:
		v.know(e.Call, func(c *call) {
			c.approval = &e
			v.approvals[e.ID] = c
		})
	case event.ApprovalAnswered:
		if c := v.approvals[e.ID]; c != nil {
			c.approval = nil
			v.out = append(v.out, settled{string(c.Call)})
		}
	case event.ToolStarted:
		v.know(e.Call, func(*call) {})
	case event.QuestionAsked:
		v.questions = append(v.questions, e)
		v.question(e)
	case event.QuestionAnswered:
		v.questions = slices.DeleteFunc(v.questions, func(q event.QuestionAsked) bool { return q.ID == e.ID })
		v.out = append(v.out, settled{string(e.ID)})
	case event.ToolEnded:
		v.know(e.Call, func(*call) {})
		v.endCall(e)
	}
}

func (v *view) startCall(e event.ToolIntended) {
	c := &call{ToolIntended: e}
	v.calls[e.Call], v.step = c, append(v.step, c)
	m := ToolExecuting{ToolUseID: string(e.Call), ToolName: e.Name, Input: e.Input, SessionID: v.session}
	if m.Input.Kind() != jsontext.KindBeginObject {
		m.Input = jsontext.Value("{}") // the model wrote something else
	}
	if v.extended {
		m.ToolExecutingMore = &ToolExecutingMore{TurnID: v.turnID()}
	}
	v.send(m)
}

// know records that it is known what a call needs. When that is known of all calls of a message, what has to be requested is requested
// together. An agent requests permission of one call while others, each a message of its own, have not begun.
func (v *view) know(id event.CallID, do func(*call)) {
	c := v.calls[id]
	if c == nil {
		return
	}
	do(c)
	c.known = true
	var together []*call
	for _, other := range v.step {
		if other.Message != c.Message {
			continue
		}
		if !other.known {
			return
		}
		together = append(together, other)
	}
	switch {
	case v.shown != c.Message:
		v.shown = c.Message
		v.ask(together...)
	case c.approval != nil: // it runs, and the sandbox refused something
		v.ask(c)
	}
}

func (v *view) endCall(e event.ToolEnded) {
	m := ToolCompleted{ToolUseID: string(e.Call), Result: e.Output, SessionID: v.session}
	if v.extended {
		more := ToolCompletedMore{Status: ToolSuccess, TurnID: v.turnID()}
		if e.Outcome != event.Succeeded {
			more.Status, more.Error = ToolError, &m.Result
			if e.Shell != nil && e.Shell.TimedOut {
				more.Status = ToolTimeout
			}
		}
		m.ToolCompletedMore = &more
	}
	v.send(m)
}

// promptID returns the engine's id of a message; after Clear the client counts anew, hence the epoch. Each connection counts
// anew as well, hence the prefix: without it, the engine takes the first message of a resumed session for a repeat.
func promptID(prefix string, epoch int, sequence uint64) event.PromptID {
	return event.PromptID(fmt.Sprintf("%s.%d.%d", prefix, epoch, sequence))
}

// sequenceOf returns the number in a promptID, and whether it is one of the connection's.
func (v *view) sequenceOf(id event.PromptID) (n uint64, own bool) {
	number, own := strings.CutPrefix(string(id), v.prompts+".")
	if !own {
		return 0, false
	}
	_, number, _ = strings.Cut(number, ".")
	n, _ = strconv.ParseUint(number, 10, 64) // promptID has written it
	return n, true
}
