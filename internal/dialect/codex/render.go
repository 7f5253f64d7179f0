package codex

import (
	"cmp"
	"path/filepath"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// A view is what a client knows of a thread. render is a pure fold over it: record in, messages out. Folding a journal
// gives the items that were streamed when it was written; see history.go.
type view struct {
	thread     string
	blob       func(address string) ([]byte, error) // payloads that records name
	workspace  string
	dir        string // where turns work
	window     int    // tokens of context of the model; 0: unknown
	settings   event.Settings
	total      model.Usage // of all turns
	last       model.Usage // of the last answer
	turn       *turn       // the running one; nil between turns
	command    *turn       // that of a command of the user outside of turns, which runs; nil: none does
	compaction *turn       // that of a compaction between turns, which runs; nil: none does
	read       readState   // what of the thread is unread
	unsaved    string      // the turn of a compaction that the client has seen end before its records were saved; "": none
	others     bool        // the records are of another process
	noRules    bool        // the client may not answer with rules for commands
	out        []any       // what the record at hand causes: notice, question, answered or one of the messages below
	now        time.Time   // of the record at hand
}

// What the connection makes a notification of, since it needs more than the records.
type (
	// A question is a request to the client about a pending approval, or questions of a tool.
	question struct {
		pending pending
		method  string
		params  any
	}
	// An answered approval or question is pending no more; a client's later word on it means nothing.
	answered struct{ pending pending }
	// A settled change of the settings.
	settingsChanged struct{ old, settings event.Settings }
	// A diffChanged turn has changed files.
	diffChanged struct{ turn event.TurnID }
	// A readChanged record may have changed what of the thread is unread.
	readChanged struct{ seq uint64 }
)

// A pending is what a client is asked: one of the three.
type pending struct {
	approval event.ApprovalID
	question event.QuestionID
	call     event.CallID // of a tool of the client
}

// A turn is the running turn with its items.
type turn struct {
	id          string
	started     time.Time
	items       []*item // in the order in which they started
	calls       map[event.CallID]*call
	asked       map[event.ApprovalID]*call
	texts       []*item           // of the answer under way, in the order in which they began
	blocks      map[int]*item     // the same by block
	plans       bool              // the mode is plan
	proposed    []*proposal       // the texts of the answer under way then, in the order in which they began
	proposals   map[int]*proposal // the same by block
	explanation string            // of the plan that is about to change
	review      *reviewing        // nil: it is none
	approvals   int               // that wait
	questions   int               // that wait
}

// An item is shown, as far as it is known.
type item struct {
	id      string
	value   ThreadItem
	text    []byte // what was shown of it as deltas
	summary bool   // a part of a summary was announced
	done    bool
}

// render returns the messages to a client for a record. Kinds without a case have none.
func (v *view) render(rec event.Record) []any {
	v.out, v.now = nil, rec.Time
	switch e := rec.Event.(type) {
	case event.TextDelta:
		v.growText(e.Message, e.Block, e.Text)
	case event.ThinkingDelta:
		v.growReasoning(e)
	case event.SessionCreated:
		v.noteRead(rec)
		v.workspace, v.settings, v.dir = e.Workspace, e.Settings, cmp.Or(e.Settings.Dir, e.Workspace)
	case event.SessionChanged:
		v.out = append(v.out, settingsChanged{v.settings, e.Settings})
		v.noteRead(rec)
		v.settings, v.dir = e.Settings, cmp.Or(e.Settings.Dir, v.workspace)
	case event.TurnStarted:
		v.abandonCompaction()
		v.noteRead(rec)
		v.turn = &turn{
			id: string(rec.Turn), started: rec.Time, plans: extraOf(v.settings).Plan,
			calls: map[event.CallID]*call{}, asked: map[event.ApprovalID]*call{},
		}
		v.notifyStatus()
		v.notify("turn/started", TurnStartedNotification{v.thread, v.turn.begun()})
	case event.TurnEnded:
		v.window = cmp.Or(e.Window, v.window)
		v.endTurn(rec, e)
	case event.Foreign:
		v.renderCompaction(rec, e)
	case event.Branched:
		v.notify("thread/reverted", ThreadRevertedNotification{v.thread})
		v.noteRead(rec)
	case event.SyncStarted:
		v.others = true
	case event.SyncEnded:
		v.others = false
	case event.CommandStarted:
		v.startUserCommand(rec, e)
	case event.CommandOutput:
		v.growUserCommand(e)
	case event.CommandRan:
		v.endUserCommand(rec, e)
	case event.ContextEstimated:
		v.window = e.Window
	case event.ServerChanged:
		v.notify("mcpServer/startupStatus/updated", McpServerStatusUpdatedNotification{
			Name: e.Server, Status: McpServerStartupState(e.Status), Error: nullString(e.Error), ThreadID: nullString(v.thread),
		})
	case event.Notice:
		v.warn(e.Text)
	case event.BudgetWarned:
		v.warn(e.Text)
	case event.BudgetExceeded:
		v.warn(e.Text)
	case event.Compacted:
		if v.turn == nil {
			v.showCompacted(rec, e)
		} else {
			v.renderTurn(rec)
		}
	default:
		if v.turn != nil {
			v.renderTurn(rec)
		}
	}
	return v.out
}

// endTurn closes what is open, then the turn. Nothing of it follows.
func (v *view) endTurn(rec event.Record, e event.TurnEnded) {
	if v.turn == nil {
		return
	}
	v.closeAll()
	if v.turn.review != nil {
		v.endReview(e.Reason)
	}
	done := v.turn.shown()
	done.Status = statuses.Get()[e.Reason]
	if done.Status == TurnStatusFailed {
		done.Error = turnError(e.Failure)
		v.notify("error", ErrorNotification{*done.Error, v.thread, v.turn.id, false})
	}
	if text := cutShort[e.Reason]; text != "" {
		v.warn(text)
	}
	ended, ran := v.now.Unix(), elapsed(v.turn.started, v.now)
	done.CompletedAt, done.DurationMS = &ended, &ran
	v.noteRead(rec)
	v.turn = nil
	v.notifyStatus()
	v.notify("turn/completed", TurnCompletedNotification{v.thread, done})
}

// statuses is what a turn's reason to end is for a client; limits are not failures, but for the one that no other turn
// gets past.
var statuses = lazy.Value[map[event.TurnReason]TurnStatus]{New: func() map[event.TurnReason]TurnStatus {
	return map[event.TurnReason]TurnStatus{
		event.TurnCompleted:   TurnStatusCompleted,
		event.TurnStepLimit:   TurnStatusCompleted,
		event.TurnMaxTokens:   TurnStatusCompleted,
		event.TurnRefused:     TurnStatusCompleted,
		event.TurnInterrupted: TurnStatusInterrupted,
		event.TurnBudget:      TurnStatusFailed,
		event.TurnFailed:      TurnStatusFailed,
	}
}}

// cutShort is the warning before the end of a completed turn whose last answer is not whole.
var cutShort = map[event.TurnReason]string{
	event.TurnStepLimit: "The turn ended at its limit of model calls.",
	event.TurnMaxTokens: "The answer was cut at the limit of output tokens.",
	event.TurnRefused:   "The model refused to answer, or its provider's content filter cut the answer.",
}

// begun returns a turn as its start shows it.
func (t *turn) begun() Turn {
	started := t.started.Unix()
	return Turn{
		ID: t.id, RootTurnID: nullString(t.id), Items: []ThreadItem{}, ItemsView: TurnItemsViewNotLoaded, Status: TurnStatusInProgress, StartedAt: &started,
	}
}

// shown returns a turn with its items.
func (t *turn) shown() Turn {
	shown := t.begun()
	shown.ItemsView = TurnItemsViewFull
	for _, it := range t.items {
		shown.Items = append(shown.Items, it.value)
	}
	return shown
}

// status returns what the thread does.
func (v *view) status() ThreadStatus {
	if v.turn == nil {
		return IdleThreadStatus{}
	}
	flags := []ThreadActiveFlag{}
	if v.turn.approvals > 0 {
		flags = append(flags, ThreadActiveFlagWaitingOnApproval)
	}
	if v.turn.questions > 0 {
		flags = append(flags, ThreadActiveFlagWaitingOnUserInput)
	}
	return ActiveThreadStatus{ActiveFlags: flags}
}

func (v *view) notifyStatus() {
	v.notify("thread/status/changed", ThreadStatusChangedNotification{ThreadID: v.thread, Status: v.status()})
}

func (v *view) notify(method string, params any) { v.out = append(v.out, notice{method, params}) }

func (v *view) warn(text string) {
	v.notify("warning", WarningNotification{Message: text, ThreadID: nullString(v.thread)})
}

// start shows an item for the first time.
func (v *view) start(it *item, value ThreadItem) {
	it.value = value
	v.turn.items = append(v.turn.items, it)
	v.notify("item/started", ItemStartedNotification{Item: value, ThreadID: v.thread, TurnID: v.turn.id, StartedAtMS: v.now.UnixMilli()})
}

// complete shows it for the last time.
func (v *view) complete(it *item, value ThreadItem) {
	it.value, it.done = value, true
	v.notify("item/completed", ItemCompletedNotification{Item: value, ThreadID: v.thread, TurnID: v.turn.id, CompletedAtMS: v.now.UnixMilli()})
}

// showWhole shows an item that is all there from the beginning.
func (v *view) showWhole(id string, value ThreadItem) {
	it := &item{id: id}
	v.start(it, value)
	v.complete(it, value)
}

// absolute returns a path of a record as a client wants it.
func (v *view) absolute(path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(v.dir, filepath.FromSlash(path))
}
