package pisces

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// A view is a session as clients see it: a fold of its records. The finished messages come
// from the fold; the view puts them into runs and turns, and shows what is on its way. A run is
// what lies between agent_start and agent_end: a retry or a compaction begins a new one, so that
// a turn of the engine can be several runs, and a step of the engine is one turn here.
type view struct {
	fold  *message.Fold
	place func() (session, file string) // for agent_end
	rules func(names []string) []Rule   // for ttsr_triggered
	newID func() string                 // of what is shown to the user

	busy    bool                        // a turn of the engine is on
	run     *run                        // nil between runs
	step    time.Time                   // when the running step began
	answer  *answer                     // nil while the model writes nothing
	calls   map[event.CallID]*shownCall // of the running step, that have not ended; never nil
	retry   *event.RetryStarted         // the last attempt; nil: nothing is tried again
	room    event.CompactReason         // of the compaction that runs of itself; "": none
	broken  bool                        // the running step was cut by rules
	context contextCount
	summary message.CompactionResult // of the last compaction
	waiting int                      // messages in the queues
	agents  []Subagent               // of the turn that is on, or the last one
	out     [][]byte                 // what the record at hand causes
}

func newView(fold *message.Fold, place func() (session, file string), rules func(names []string) []Rule, newID func() string) *view {
	return &view{fold: fold, place: place, rules: rules, newID: newID, calls: map[event.CallID]*shownCall{}}
}

// A run is what agent_end sums up.
type run struct {
	messages []message.Message
	turns    int        // begun
	turn     *shownTurn // nil between turns
}

// A shownTurn is what turn_end sums up.
type shownTurn struct {
	message message.Assistant
	results []message.ToolResult
}

// A shownCall is a tool call of the running step.
type shownCall struct {
	name    string
	args    jsontext.Value
	started bool
	output  tail
}

// render returns the lines that a record causes.
func (v *view) render(rec event.Record) [][]byte {
	v.out = nil
	all := v.know(rec)
	v.noteTask(rec)
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		v.beginTurn(rec.Time)
	case event.ContextEstimated:
		v.beginTurn(rec.Time) // a call of the model that is made again begins a run
	case event.StepStarted:
		v.step = rec.Time
		clear(v.calls)
		v.beginTurn(rec.Time)
	case event.UserMessage:
		if rec.Turn == "" {
			break // an extension's, put into the history
		}
		v.beginTurn(rec.Time)
		v.pairs(all)
	case event.AssistantMessage:
		v.finish(all)
	case event.StepEnded:
		if rec.Seq != 0 { // else the session has moved: the end of the turn says why
			v.endStep(all)
		}
	case event.TurnEnded:
		v.endTurn(rec.Time, e, all)
	case event.TextDelta:
		v.write().text(v, textBlock, e.Block, e.Text)
	case event.ThinkingDelta:
		v.write().text(v, thinkingBlock, e.Block, e.Text)
	case event.ToolInputDelta:
		v.write().input(v, e)
	default:
		v.renderRest(rec, all)
	}
	return v.out
}

// know applies a record to the state, and returns its messages; nothing is sent.
func (v *view) know(rec event.Record) []message.Finished {
	if rec.Seq == 0 && !closes(rec.Event) {
		return nil
	}
	if e, ok := rec.Event.(event.Compacted); ok {
		v.summary = v.compaction(rec.Seq, e)
	}
	switch e := rec.Event.(type) {
	case event.QueueChanged:
		v.waiting = len(e.Steering) + len(e.FollowUps)
	case event.TurnStarted:
		v.busy = true
	case event.TurnEnded:
		v.busy = false
	}
	all := v.fold.Apply(rec)
	v.context.apply(rec, all)
	return all
}

// closes reports whether e ends what followers have seen the begin of: also without a number, in a session that has moved.
func closes(e event.Event) bool {
	switch e.(type) {
	case event.ToolEnded, event.TurnEnded:
		return true
	}
	return false
}

// renderRest renders calls, retries, compactions, budgets and notices.
func (v *view) renderRest(rec event.Record, all []message.Finished) {
	switch e := rec.Event.(type) {
	case event.ToolIntended:
		v.calls[e.Call] = &shownCall{name: e.Name, args: dialect.Object(e.Input)}
	case event.ToolStarted:
		v.startCall(e.Call)
	case event.ToolOutput:
		v.callOutput(e)
	case event.ToolEnded:
		v.finish(all)
	case event.RetryStarted:
		v.retryStarted(e)
	case event.RetryEnded:
		v.retryEnded(e)
	case event.CompactionStarted:
		v.compactionStarted(e)
	case event.Compacted:
		v.compacted()
	case event.Notice:
		if e.Code == engine.NoticeServerPrompt || e.Code == engine.NoticeToolsLeftOut {
			v.emit(UINotify{ID: v.newID(), Message: e.Text, NotifyType: "warning"})
		}
		v.compactionFailed(e)
	case event.ServerChanged:
		if e.Status == event.ServerFailed && !e.Again {
			v.emit(UINotify{ID: v.newID(), Message: "tool server " + e.Server + ": " + e.Error, NotifyType: "warning"})
		}
	case event.BudgetWarned:
		v.emit(BudgetWarning{string(e.Scope), snapshotOf(e.Snapshot)})
	case event.BudgetExceeded:
		v.emit(BudgetExceeded{string(e.Scope), snapshotOf(e.Snapshot)})
	case event.RuleViolated:
		v.objected(rec, e, all)
	case event.Reminded:
		v.reminded(e)
	case event.PlanUpdated:
		for range e.Cleared {
			v.emit(TodoAutoClear{})
		}
	default:
		v.renderTask(e)
	}
}

func (v *view) emit(e Event) { v.out = append(v.out, encode(e)) }

// beginTurn begins a turn, and a run before it, where there is none.
func (v *view) beginTurn(at time.Time) {
	if v.run == nil {
		v.run = &run{}
		v.emit(AgentStart{})
	}
	if v.run.turn != nil {
		return
	}
	v.emit(TurnStart{TurnIndex: v.run.turns, Timestamp: at.UnixMilli()})
	v.run.turn = &shownTurn{results: []message.ToolResult{}}
	v.run.turns++
}

// closeTurn ends the turn with what was answered in it.
func (v *view) closeTurn() {
	if v.run == nil || v.run.turn == nil {
		return
	}
	t := v.run.turn
	v.emit(TurnEnd{TurnIndex: v.run.turns - 1, Message: t.message, ToolResults: t.results})
	v.run.turn = nil
}

func (v *view) closeRun() {
	if v.run == nil {
		return
	}
	session, file := v.place()
	messages := v.run.messages
	if messages == nil {
		messages = []message.Message{}
	}
	v.emit(AgentEnd{Messages: messages, SessionID: session, SessionFile: file})
	v.run = nil
}

// pairs shows messages that are whole at once.
func (v *view) pairs(all []message.Finished) {
	for _, t := range all {
		v.emit(MessageStart{t.Message})
		v.endMessage(t.Message)
	}
}

func (v *view) endMessage(m message.Message) {
	v.emit(MessageEnd{m})
	v.run.messages = append(v.run.messages, m)
}

// write returns the answer of the running step; it begins here, if it has not begun.
func (v *view) write() *answer {
	if v.answer == nil {
		v.beginTurn(v.step)
		empty := v.fold.EmptyAnswer(v.step)
		v.answer = newAnswer(empty)
		v.emit(MessageStart{empty})
	}
	return v.answer
}

// finish shows the ends of answers and calls.
func (v *view) finish(all []message.Finished) {
	for _, t := range all {
		switch m := t.Message.(type) {
		case message.Assistant:
			v.endAnswer(m)
		case message.ToolResult:
			v.endCall(m)
		}
	}
}

// endAnswer ends the answer on the wire. Of one that was cut, the open block has no end.
func (v *view) endAnswer(m message.Assistant) {
	cut := m.StopReason == message.StopAborted || m.StopReason == message.StopError
	switch {
	case v.answer == nil && cut: // it never began: it is whole at once
		v.beginTurn(v.step)
		v.emit(MessageStart{m})
	case !cut:
		v.write().complete(v, m.Content)
	}
	v.endMessage(m)
	v.run.turn.message, v.answer = m, nil
}

// endStep ends the turn with all that was not ended before. If the run has ended already,
// the call of the model had failed, and was not made again: its end was shown.
func (v *view) endStep(all []message.Finished) {
	if v.run == nil {
		return
	}
	v.finish(all)
	v.closeTurn()
	if v.broken {
		v.closeRun()
		v.broken = false
	}
}

// endTurn ends the run.
func (v *view) endTurn(at time.Time, e event.TurnEnded, all []message.Finished) {
	open := v.run != nil
	if open && len(all) > 0 {
		v.beginTurn(at)
		v.finish(all)
	}
	v.closeTurn()
	v.closeRun()
	v.retryOver(open, e)
	v.answer, v.room, v.broken = nil, "", false
	clear(v.calls)
}
