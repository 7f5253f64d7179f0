package loaf

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// The labels of session.status.
const (
	labelReady        = "ready"
	labelPreparing    = "preparing..."
	labelCompressing  = "compressing context..."
	labelThinking     = "thinking..."
	labelDrafting     = "drafting response..."
	labelSteered      = "steer applied; continuing..."
	labelInterrupting = "interrupting..."
)

// render returns the events for a record. It is a fold: nothing else changes a view.
func (v *view) render(rec event.Record) []signal {
	v.out = nil
	if rec.Seq != 0 {
		v.updated = stamp(rec.Time)
	}
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		v.settings = e.Settings
	case event.SessionChanged:
		v.settings = e.Settings
	case event.TurnStarted:
		v.turns++
		v.turn = &turn{id: string(e.Prompt), calls: map[event.CallID]event.ToolIntended{}}
		v.status(labelPreparing, true)
	case event.TurnEnded:
		v.endTurn(e)
	case event.CompactionStarted:
		v.startCompaction(rec, e)
	case event.Compacted:
		v.endCompaction(rec, e)
	case event.QueueChanged:
		v.queueChanged(e)
	case event.Branched:
		v.history = slices.DeleteFunc(v.history, func(en entry) bool { return en.seq > e.Head })
	case event.Notice:
		v.notice(e)
	case event.ServerChanged:
		if e.Status == event.ServerFailed && !e.Again {
			v.say(KindSystem, "tool server "+e.Server+": "+e.Error, nil, false)
		}
	case event.BudgetWarned:
		v.say(KindSystem, e.Text, nil, false)
	case event.BudgetExceeded:
		v.say(KindSystem, e.Text, nil, false)
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
		v.userMessage(rec.Seq, e)
	case event.StepStarted:
		v.debug("request", map[string]any{"model": e.Model, "step": e.Step})
		v.showPrompt()
	case event.StepEnded:
		v.endRound()
	case event.ThinkingDelta:
		v.think(e)
	case event.TextDelta:
		v.answer(e.Block, e.Text)
	case event.AssistantMessage:
		v.endAnswer(rec.Seq, e)
	case event.ToolIntended:
		v.startCall(e)
	case event.ToolEnded:
		v.endCall(e)
	case event.RetryStarted:
		v.status(fmt.Sprintf("capacity unavailable; retrying (%d/%d)...", e.Attempt, e.Max), false)
		v.debug("retry_429", map[string]any{"attempt": e.Attempt, "max": e.Max, "message": e.Failure.Message})
	}
}

// userMessage keeps the prompt until the model is asked: a prompt that never gets that far is
// not shown. Steers are shown at once.
func (v *view) userMessage(seq uint64, e event.UserMessage) {
	if e.Via == event.ByEngine { // it is not a user's
		return
	}
	said := entry{HistoryEntry{KindUser, textOf(e.Blocks), v.pictures(e.Blocks)}, seq}
	v.turn.said = append(v.turn.said, said)
	if e.Via != event.BySteer {
		v.turn.prompt = &e
		if names := v.context.mentioned(said.Text); len(names) > 0 {
			v.say(KindSystem, "skills applied: "+strings.Join(names, ", "), nil, false)
		}
		return
	}
	v.turn.lost--
	v.debug("steer_injected", map[string]any{"text": said.Text})
	v.say(KindUser, said.Text, said.Images, false)
	v.status(labelSteered, false)
}

// showPrompt is the moment before the model is asked for the first time.
func (v *view) showPrompt() {
	if v.turn.prompt == nil {
		return
	}
	if label := v.working(); v.turn.status != label { // a compaction may have said so
		v.status(label, true)
	}
	prompt := v.turn.said[0]
	v.turn.prompt = nil
	v.say(KindUser, prompt.Text, prompt.Images, false)
	v.estimate()
}

// working returns the label of a model that has not said anything yet.
func (v *view) working() string {
	if v.settings.Thinking == "off" {
		return labelDrafting
	}
	return labelThinking
}

// think sends a thought. Each piece has all of the thought so far, so it is sent whenever it
// has doubled, and once more when it is finished: what is written stays linear.
func (v *view) think(e event.ThinkingDelta) {
	if v.turn.thoughts == nil {
		v.turn.thoughts = map[int]*thought{}
	}
	th := v.turn.thoughts[e.Block]
	if th == nil {
		th = &thought{}
		v.turn.thoughts[e.Block] = th
	}
	th.text = append(th.text, e.Text...)
	if th.sent == 0 || len(th.text) >= 2*th.sent {
		v.sendThought(th)
	}
}

func (v *view) sendThought(th *thought) {
	if th.sent == len(th.text) {
		return
	}
	text := string(th.text)
	more := text[th.sent:]
	th.sent = len(th.text)
	if label := "thinking: " + titleOf(text); v.turn.status != label {
		v.status(label, false)
	}
	v.emit(EventStreamChunk, StreamChunk{v.session, v.turn.id, Chunk{[]string{text}, "", []Segment{{"thought", more}}}})
}

// titleOf returns what a thought is about: its leading bold part, or else its first line.
func titleOf(text string) string {
	text = strings.TrimSpace(text)
	title, _, _ := strings.Cut(text, "\n")
	if bold, ok := strings.CutPrefix(text, "**"); ok {
		if inside, _, closed := strings.Cut(bold, "**"); closed {
			title = inside
		}
	}
	title = strings.ToLower(strings.TrimSpace(strings.Trim(title, "*# ")))
	if title == "" {
		return "reasoning"
	}
	if runes := []rune(title); len(runes) > 80 {
		title = strings.TrimRightFunc(string(runes[:80]), unicode.IsSpace) + "…"
	}
	return title
}

// answer sends a piece of the answer.
func (v *view) answer(block int, text string) {
	if text == "" {
		return
	}
	if v.turn.blocks == nil {
		v.turn.blocks = map[int]int{}
	}
	v.turn.blocks[block] += len(text)
	v.chunk(text)
}

func (v *view) chunk(text string) {
	for _, th := range v.turn.thoughts {
		v.sendThought(th)
	}
	if v.turn.status != labelDrafting {
		v.status(labelDrafting, false)
	}
	v.turn.answered = true
	v.turn.answer = append(v.turn.answer, text...)
	v.emit(EventStreamChunk, StreamChunk{v.session, v.turn.id, Chunk{[]string{}, text, []Segment{{"answer", text}}}})
}

// endAnswer sends what of a finished answer was not sent as it came: the provider gave it in
// one piece, or the record comes from a journal.
func (v *view) endAnswer(seq uint64, e event.AssistantMessage) {
	if !e.Void {
		v.turn.answerSeq = seq
	}
	sent, whole := 0, ""
	for _, n := range v.turn.blocks {
		sent += n
	}
	for _, th := range v.turn.thoughts {
		v.sendThought(th)
	}
	streamed := len(v.turn.thoughts) > 0
	for _, b := range e.Blocks {
		switch {
		case b.Kind == "text":
			whole += b.Text
		case b.Kind == "thinking" && b.Text != "" && !streamed:
			v.sendThought(&thought{text: []byte(b.Text)})
		}
	}
	if sent < len(whole) {
		v.chunk(whole[sent:])
	}
	v.turn.blocks, v.turn.thoughts = nil, nil
	v.debug("response_final", map[string]any{"stop": string(e.Stop), "partial": e.Partial})
}

// queueChanged counts steers: those that leave the queue and do not become messages are lost.
func (v *view) queueChanged(e event.QueueChanged) {
	if v.turn == nil {
		return
	}
	v.turn.lost += max(0, v.turn.steering-len(e.Steering))
	v.turn.steering = len(e.Steering)
}

func (v *view) notice(e event.Notice) {
	switch {
	case e.Code == "compaction_failed" && v.turn != nil:
		if v.compacting != nil { // else it ended before it began
			v.emit(EventCompactionFailed, CompactionFailed{v.session, v.turn.id, v.compacting.reason, e.Text})
		}
		v.compacting = nil
		v.say(KindSystem, "context compaction failed: "+e.Text, nil, false)
	case e.Code == engine.NoticeShortened, e.Code == engine.NoticeTextRefused, e.Code == engine.NoticePicturesRefused, e.Code == engine.NoticeRequestChanged, e.Code == engine.NoticeServerPrompt, e.Code == engine.NoticeToolsLeftOut:
		v.say(KindSystem, e.Text, nil, false)
	case e.Code == engine.NoticeUnsaved:
		v.say(KindSystem, "the chat could not be saved: "+e.Text, nil, false)
	}
}

// endTurn closes the turn: state first, then its closing lines, ready last.
func (v *view) endTurn(e event.TurnEnded) {
	t := v.turn
	if t == nil {
		return
	}
	v.endRound()
	text := string(t.answer)
	v.conversation = v.context.provider(v.settings.Model)
	if lost := t.lost; lost > 0 {
		v.say(KindSystem, fmt.Sprintf("%d steer message(s) were queued too late and not applied.", lost), nil, false)
	}
	switch {
	case e.Reason == event.TurnFailed:
		v.failTurn(e)
	case e.Reason == event.TurnBudget:
		v.keep(text)
		if text != "" {
			v.say(KindAssistant, text, nil, true)
		}
		v.failTurn(e)
	case e.Reason == event.TurnInterrupted:
		v.keep(text)
		v.interruptTurn(text)
	default:
		v.keep(text)
		v.completeTurn(text)
	}
	v.turn, v.silenced = nil, false
	v.status(labelReady, false)
}

// keep makes the turn a part of the history.
func (v *view) keep(answer string) {
	v.history = append(v.history, v.turn.said...)
	if answer != "" {
		v.history = append(v.history, entry{HistoryEntry{Role: KindAssistant, Text: answer}, v.turn.answerSeq})
	}
}

func (v *view) completeTurn(text string) {
	if !v.turn.answered {
		v.emit(EventStreamChunk, StreamChunk{v.session, v.turn.id, Chunk{[]string{}, "", []Segment{}}})
	}
	v.say(KindAssistant, text, nil, true)
	v.estimate()
	v.emit(EventCompleted, SessionCompleted{v.session, v.turn.id, units(text)})
}

func (v *view) interruptTurn(text string) {
	notice := "response interrupted by user."
	if text != "" {
		v.say(KindAssistant, text, nil, true)
		v.estimate()
		notice += " partial output kept."
	}
	if !v.silenced || text == "" { // every turn has a closing message
		v.say(KindSystem, notice, nil, true)
	}
	v.emit(EventInterrupted, SessionInterrupted{v.session, v.turn.id, text != ""})
}

// failTurn sends the reason. If no request to the model could be made, that is all it sends.
func (v *view) failTurn(e event.TurnEnded) {
	message, asked := "the turn failed", v.turn.prompt == nil
	if e.Failure != nil {
		message = e.Failure.Message
	}
	switch {
	case e.Failure != nil && e.Failure.Kind == engine.FailPrompt:
		v.say(KindSystem, "inference error: "+message, nil, true)
	case !asked, e.Failure != nil && (e.Failure.Kind == engine.FailMoved || e.Failure.Kind == engine.FailUnsaved):
		v.say(KindSystem, message, nil, true)
	default:
		v.say(KindSystem, "inference error: "+message, nil, true)
		v.estimate()
	}
	v.emit(EventError, SessionError{v.session, v.turn.id, message})
}

func stamp(at time.Time) string { return at.UTC().Format("2006-01-02T15:04:05.000Z") }
