package acp

import (
	"cmp"
	"strings"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A view is what a client knows of a session. render is a fold over it: record in, messages out.
type view struct {
	caps          ClientCapabilities
	terminals     bool                                 // commands that need not be confined run in terminals of the client
	blob          func(address string) ([]byte, error) // contents that records name
	texts         func(engine.ChangeOf) (before, after string, ok bool)
	exact         func(approval.Request, approval.Scope) []approval.Grant
	workspace     string
	dir           string  // where turns work
	client        int     // the number of the client in the session
	title         string  // that the client knows
	window        int     // tokens of context of the model; 0: not known
	used          int     // tokens of the last request and its answer
	cost          float64 // US dollars, of all
	turn          *turn   // the running one; nil between turns
	commandOutput bool    // the record at hand is output of a command
	replaying     bool    // records are replayed
	since         uint64  // of steps that began after this record the client is sent every piece
	out           []any   // what the record at hand causes: updates, approvalRequest, approvalEnd, turnEnd

	models    *models
	newID     func() string
	choices   choices                   // the options as they were last
	requested []choices                 // those that the client has made them, and whose records are yet to come
	message   event.PromptID            // the last one of the user if it was shown; else ""
	own       func(event.PromptID) bool // whether the client has sent a prompt, which it shows by itself; nil: all of them

	compaction     string   // the id of the open one; "": none is
	pendingNotices []Notice // that wait for a turn
}

// A livePrompt is a prompt that the client does not know, as its turn begins.
type livePrompt struct {
	id      event.PromptID
	content []ContentBlock
}

// An approvalRequest is a request for an approval.
type approvalRequest struct {
	approval event.ApprovalID
	params   PermissionParams
}

// An approvalEnd is the end of a pending approval: answered or withdrawn.
type approvalEnd struct{ approval event.ApprovalID }

// An elicitation is questions to the user.
type elicitation struct {
	question  event.QuestionID
	questions []event.Question
	params    ElicitationParams
}

// A questionEnd is the end of pending questions: answered or withdrawn.
type questionEnd struct{ question event.QuestionID }

// A turnEnd is the end of a turn, after which its prompt is answered.
type turnEnd struct {
	prompt event.PromptID
	taken  []event.PromptID // prompts that waited, and were taken into the turn
	turn   event.TurnID
	end    event.TurnEnded
}

// A turn is the running turn.
type turn struct {
	id     event.TurnID
	prompt event.PromptID
	taken  []event.PromptID // see turnEnd
	calls  calls
	shown  map[int]int // bytes of the blocks of the answer under way that were sent
	tries  int         // answers of the step that failed after a part of them was sent
	missed bool        // not every piece of the answer under way was received: AnswerGrew has them
	grown  map[int]int // bytes of its blocks in AnswerGrew
}

// newView returns the view of a session whose records are all known to a client with these capabilities.
func (s *session) newView(caps ClientCapabilities) *view {
	st, m := s.eng.State(), s.conn.models
	now := m.choicesOf(st.Settings)
	return &view{
		models: m, newID: s.conn.cfg.NewID, own: s.ownPrompt, choices: now, window: m.info(now.model).ContextWindow,
		caps: caps, blob: s.eng.Log().Blob, texts: s.texts, exact: s.exactGrants, workspace: st.Workspace, dir: st.Dir(), title: shownTitle(st), cost: st.Cost,
	}
}

// shownTitle returns the title of a session; "": it has none yet.
func shownTitle(st engine.State) string { return oneLine(cmp.Or(st.Settings.Name, st.Summary.Title)) }

// render returns the messages to a client for a record. Kinds without a case have none.
func (v *view) render(rec event.Record) []any {
	v.out, v.commandOutput = nil, false
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		v.workspace, v.dir = e.Workspace, cmp.Or(e.Settings.Dir, e.Workspace)
	case event.SessionChanged:
		v.dir = cmp.Or(e.Settings.Dir, v.workspace)
		v.retitle(e.Settings.Name, rec.Time)
		v.settled(e)
	case event.TurnStarted:
		v.turn = newTurn(rec.Turn, e.Prompt)
		v.showPendingNotices()
	case event.TurnEnded:
		v.endTurn(e)
	case event.ContextEstimated:
		v.window = e.Window
	case event.PlanUpdated:
		v.show(planOf(e))
	case event.Notice:
		v.engineNotice(e)
	case event.BudgetWarned:
		v.notice(warning, "Budget", e.Text)
	case event.BudgetExceeded:
		v.notice(warning, "Budget", e.Text)
	case event.Sampled:
		v.cost += e.Cost
	case event.SubagentEnded:
		v.cost += e.Cost
	case event.CompactionStarted:
		v.beginCompaction()
	case event.Compacted:
		v.compacted(e)
	case event.ServerChanged:
		v.server(e)
	default:
		if v.turn != nil {
			v.renderTurn(rec)
		}
	}
	return v.out
}

func newTurn(id event.TurnID, prompt event.PromptID) *turn {
	return &turn{id: id, prompt: prompt}
}

func (v *view) renderTurn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.StepStarted:
		v.turn.missed, v.turn.grown = rec.Seq <= v.since, nil
	case event.TextDelta:
		v.growLive(chunkKind(false), e.Message, e.Block, e.Text)
	case event.ThinkingDelta:
		v.growLive(chunkKind(true), e.Message, e.Block, e.Text)
	case event.AnswerGrew:
		v.grew(e)
	case event.UserMessage:
		v.user(e, rec.Time)
	case event.AssistantMessage:
		v.endAnswer(e)
	case event.StepEnded:
		v.showUsage()
	case event.RetryStarted:
		v.retry(e)
	default:
		v.renderCall(rec)
	}
}

func (v *view) show(update any) { v.out = append(v.out, update) }

// endTurn ends what is open, then the turn. Nothing of it follows.
func (v *view) endTurn(e event.TurnEnded) {
	if v.turn == nil {
		return
	}
	v.failOpen(textWithdrawn)
	v.endCompaction(compactionCancelled, "")
	v.show(turnEnd{v.turn.prompt, v.turn.taken, v.turn.id, e})
	v.turn = nil
}

// user shows a message of the user that models read now: of those that happen now not the client's own prompts, which it shows
// by itself. Its own steers are shown, since the message says where in the answer they were read.
func (v *view) user(e event.UserMessage, at time.Time) {
	if e.Via == event.ByEngine {
		v.embedded(e)
		return
	}
	if v.turn != nil && e.ID != v.turn.prompt {
		v.turn.taken = append(v.turn.taken, e.ID)
	}
	v.message = ""
	if v.title == "" {
		v.retitle(titleOf(e.Blocks), at)
	}
	if e.Via == event.BySteer || v.replaying {
		v.message = e.ID
		for _, content := range v.promptContent(e) {
			v.show(MessageChunk{"user_message_chunk", string(e.ID), content})
		}
		return
	}
	if v.own != nil && !v.own(e.ID) {
		v.message = e.ID
		v.show(livePrompt{e.ID, v.promptContent(e)})
	}
}

// promptContent returns the content of a message of the user. Embedded texts follow, with their notes.
func (v *view) promptContent(e event.UserMessage) (all []ContentBlock) {
	resources := resourcesOf(e)
	for i, b := range e.Blocks {
		switch r := resources[i]; {
		case r != nil && r.Type == "resource":
		case r != nil:
			all = append(all, *r)
		default:
			if content, ok := v.content(b); ok {
				all = append(all, content)
			}
		}
	}
	return all
}

// embedded shows the texts of a note that were embedded in the message before it, if that was shown.
func (v *view) embedded(e event.UserMessage) {
	if v.message == "" {
		return
	}
	for i, r := range resourcesOf(e) {
		if r == nil || r.Resource == nil {
			continue
		}
		begin, end := contextTags(r.Resource.URI)
		whole := strings.TrimSuffix(strings.TrimPrefix(e.Blocks[i].Text, begin), end)
		r.Resource.Text = &whole
		v.show(MessageChunk{"user_message_chunk", string(v.message), *r})
	}
}

// content returns a block of a message of the user.
func (v *view) content(b model.Block) (ContentBlock, bool) {
	switch {
	case b.Kind == model.KindText:
		return text(b.Text), true
	case b.Image != nil:
		return v.picture(*b.Image)
	}
	return ContentBlock{}, false
}

// retitle shows a title that the client does not know.
func (v *view) retitle(title string, at time.Time) {
	if title == "" || title == v.title {
		return
	}
	v.title = title
	v.show(SessionInfoUpdate{"session_info_update", title, stamp(at)})
}

// stamp returns a time as the protocol has it.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
