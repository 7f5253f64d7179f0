package flint

import (
	"cmp"
	"fmt"
	"path/filepath"

	"parley.dev/parley/internal/event"
)

// A view is what a client knows of a thread. render is a pure fold over it: record in,
// messages out. Folding a journal gives the items that were streamed when it was written;
// see history.go.
type view struct {
	thread    string
	shapes    Shapes
	blob      func(address string) ([]byte, error) // payloads that records name
	workspace string
	dir       string // where turns work
	window    int    // tokens of context of the model; 0: unknown
	spent     usage  // of all turns
	turn      *turn  // the running one; nil between turns
	others    bool   // the records are of another process
	out       []any  // what the record at hand causes: notice, question or answered
}

// A notice goes to the client as it is: a notification.
type notice struct {
	method string
	params any
}

// A question is a request to the client about a pending approval.
type question struct {
	approval event.ApprovalID
	method   string
	params   any
}

// An answered approval is pending no more; a client's later word on it means nothing.
type answered struct{ approval event.ApprovalID }

// A turn is the running turn with its items.
type turn struct {
	id     string
	items  []*item // in the order in which they started
	calls  map[event.CallID]*call
	asked  map[event.ApprovalID]*call
	texts  []*item       // of the answer under way, in the order in which they began
	blocks map[int]*item // the same by block
	usage  usage
	last   usage // of the last answer
}

// An item is shown, as far as it is known.
type item struct {
	id    string
	value ThreadItem
	text  []byte // what was shown of it as deltas
	done  bool
}

// render returns the messages to a client for a record. Kinds without a case have none.
func (v *view) render(rec event.Record) []any {
	v.out = nil
	switch e := rec.Event.(type) {
	case event.TextDelta:
		v.growText(e.Message, e.Block, e.Text)
	case event.ThinkingDelta:
		v.growReasoning(e)
	case event.SessionCreated:
		v.workspace, v.dir = e.Workspace, cmp.Or(e.Settings.Dir, e.Workspace)
	case event.SessionChanged:
		v.dir = cmp.Or(e.Settings.Dir, v.workspace)
	case event.TurnStarted:
		v.turn = &turn{id: string(rec.Turn), calls: map[event.CallID]*call{}, asked: map[event.ApprovalID]*call{}}
		v.notify("turn/started", TurnStartedNotification{v.thread, Turn{ID: v.turn.id, Status: TurnInProgress, Items: []ThreadItem{}}})
	case event.TurnEnded:
		v.endTurn(e)
	case event.SyncStarted:
		v.others = true
	case event.SyncEnded:
		v.others = false
	case event.ContextEstimated:
		v.window = e.Window
	case event.ServerChanged:
		v.notify("parley/mcp_server_status", McpServerStatus{v.thread, e.Server, string(e.Status), e.Error})
	case event.Notice:
		v.notify("parley/warning", Warning{v.thread, e.Text})
	case event.BudgetWarned:
		v.notify("parley/warning", Warning{v.thread, e.Text})
	case event.BudgetExceeded:
		v.notify("parley/warning", Warning{v.thread, e.Text})
	default:
		if v.turn != nil {
			v.renderTurn(rec)
		}
	}
	return v.out
}

func (v *view) renderTurn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.UserMessage:
		if e.Via == event.ByEngine { // it is not a user's
			return
		}
		v.showWhole(&item{id: fmt.Sprintf("u-%d", rec.Seq)}, func(id string) ThreadItem {
			return UserMessageItem{"userMessage", id, v.inputs(e)}
		})
	case event.AssistantMessage:
		v.endAnswer(e)
	case event.PlanUpdated:
		v.showPlan(fmt.Sprintf("p-%d", rec.Seq), e)
	case event.Compacted:
		v.turn.usage, v.spent = v.turn.usage.add(e.Usage), v.spent.add(e.Usage)
		v.showWhole(&item{id: fmt.Sprintf("c-%d", rec.Seq)}, func(id string) ThreadItem {
			text := fmt.Sprintf("Older history was summed up: about %d tokens of context became %d", e.TokensBefore, e.TokensAfter)
			return ContextCompactionItem{"contextCompaction", id, text}
		})
	case event.RetryStarted:
		failure := turnError(&e.Failure)
		failure.Message = fmt.Sprintf("Reconnecting… %d/%d", e.Attempt, e.Max)
		v.notify("error", ErrorNotification{failure, true, v.thread, v.turn.id})
	default:
		v.renderCall(rec)
	}
}

// endTurn closes what is open, then the turn. Nothing of it follows.
func (v *view) endTurn(e event.TurnEnded) {
	if v.turn == nil {
		return
	}
	v.closeAll()
	done := Turn{ID: v.turn.id, Status: statuses[e.Reason], Items: v.items()}
	if done.Status == TurnFailed {
		failure := turnError(e.Failure)
		done.Error = &failure
		v.notify("error", ErrorNotification{failure, false, v.thread, v.turn.id})
	}
	if text := cutShort[e.Reason]; text != "" {
		v.notify("parley/warning", Warning{v.thread, text})
	}
	v.notify("turn/completed", TurnCompletedNotification{v.thread, done})
	v.turn = nil
}

// statuses is what a turn's reason to end is for a client; limits are not failures, but for
// the one that no other turn gets past.
var statuses = map[event.TurnReason]TurnStatus{
	event.TurnCompleted:   TurnCompleted,
	event.TurnStepLimit:   TurnCompleted,
	event.TurnMaxTokens:   TurnCompleted,
	event.TurnRefused:     TurnCompleted,
	event.TurnInterrupted: TurnInterrupted,
	event.TurnBudget:      TurnFailed,
	event.TurnFailed:      TurnFailed,
}

// cutShort is the warning before the end of a completed turn whose last answer is not whole.
var cutShort = map[event.TurnReason]string{
	event.TurnStepLimit: "The turn ended at its limit of model calls.",
	event.TurnMaxTokens: "The answer was cut at the limit of output tokens.",
	event.TurnRefused:   "The model refused to answer, or its provider's content filter cut the answer.",
}

// items returns the turn's items as the client wants them.
func (v *view) items() []ThreadItem {
	items := make([]ThreadItem, len(v.turn.items))
	for i, it := range v.turn.items {
		items[i] = v.shapes.item(it.value)
	}
	return items
}

func (v *view) notify(method string, params any) {
	v.out = append(v.out, notice{method, params})
}

// start shows an item for the first time.
func (v *view) start(it *item, value ThreadItem) {
	it.value = value
	v.turn.items = append(v.turn.items, it)
	v.notify("item/started", ItemStartedNotification{v.thread, v.turn.id, v.shapes.item(value)})
}

// complete shows it for the last time.
func (v *view) complete(it *item, value ThreadItem) {
	it.value, it.done = value, true
	v.notify("item/completed", ItemCompletedNotification{v.thread, v.turn.id, v.shapes.item(value)})
}

// showWhole shows an item that is all there from the beginning.
func (v *view) showWhole(it *item, make func(id string) ThreadItem) {
	value := make(it.id)
	v.start(it, value)
	v.complete(it, value)
}

// grow shows a piece of an item's text.
func (v *view) grow(it *item, method, text string) {
	if text == "" {
		return
	}
	it.text = append(it.text, text...)
	v.notify(method, ItemDelta{v.thread, v.turn.id, it.id, text})
}

// showPlan shows a plan as an item, and on its own.
func (v *view) showPlan(id string, e event.PlanUpdated) {
	entries := make([]PlanEntry, len(e.Items))
	text := ""
	for i, step := range e.Items {
		entries[i] = PlanEntry{step.Text, planStatuses[step.Status]}
		text += planMarks[step.Status] + step.Text
		if i < len(e.Items)-1 {
			text += "\n"
		}
	}
	it := &item{id: id}
	v.start(it, PlanItem{Type: "plan", ID: id})
	v.grow(it, "item/plan/delta", text)
	v.complete(it, PlanItem{"plan", id, text, entries})
	v.notify("turn/plan/updated", TurnPlanUpdated{v.thread, v.turn.id, "", entries})
}

var planStatuses = map[event.PlanStatus]string{
	event.Pending: StepPending, event.InProgress: StepInProgress, event.Completed: StepCompleted,
}

var planMarks = map[event.PlanStatus]string{event.Pending: "- [ ] ", event.InProgress: "- [~] ", event.Completed: "- [x] "}

// absolute returns a path of a record as a client wants it.
func (v *view) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(v.dir, filepath.FromSlash(path))
}
