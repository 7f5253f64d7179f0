package message

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Surroundings is what messages are made with besides records.
type Surroundings struct {
	// Model is what is known of a model, named as settings name it; "": the default.
	Model func(name string) Model
	// Blob is a payload that a record of the session names.
	Blob func(address string) ([]byte, error)
}

// A Finished is a complete message, as durable as its record.
type Finished struct {
	ID  string // of its entry
	Seq uint64 // of its record
	// Node is the record of the history that it belongs to: its own, or, of a result, that of
	// the answer with its call.
	Node    uint64
	at      time.Time
	Message Message
	// Void: clients are sent it, and nothing else: it is in no file, and not part of later
	// requests.
	Void bool
}

// A Fold is the fold from records to finished messages. It is the same whether a session
// is watched or read, and keeps only what is open.
//
// An answer that was cut is finished when its step ends, for that has the reason. There is no step
// without an answer: where the model sent none, there is an empty one. Each call of an answer
// that was not imported has exactly one result before the next answer, or the end.
type Fold struct {
	With      Surroundings
	IDs       IDs
	model     string // as the settings have it
	turnModel Model  // that the open turn calls
	Last      uint64 // the last node
	step      openStep
	calls     map[event.CallID]event.ToolIntended
	plan      *event.PlanUpdated // that the open calls have made; nil: none
	files     map[string]bool    // that calls of the session have read, or, true, changed
	// ran: a step with tool calls has just ended.
	ran bool
	// unwritten is the nodes that are in no file, after the last that is; instead names for those
	// before it the first that is.
	unwritten []uint64
	instead   map[uint64]uint64
	// failed: the last answer of the turn has the reason of its failure.
	failed bool
}

// openStep is the step that is open, or the zero value.
type openStep struct {
	open     bool
	started  time.Time
	answered bool // there is an answer, perhaps a held one
	imported bool // and it is another program's
	held     *heldAnswer
	pending  []model.Call // of the answer, without a result as yet
	results  int
	cut      bool // the last result is of a call that was interrupted
}

// heldAnswer is an answer that was cut, and waits for the reason.
type heldAnswer struct {
	rec event.Record
	msg event.AssistantMessage
}

// NewFold returns the fold of a session whose first record comes next.
func NewFold(with Surroundings) *Fold {
	return &Fold{With: with, calls: map[event.CallID]event.ToolIntended{}, files: map[string]bool{}, instead: map[uint64]uint64{}}
}

// Apply applies the next durable record, and returns the messages that it finishes.
func (t *Fold) Apply(rec event.Record) []Finished {
	t.IDs.next(rec)
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		t.model = e.Settings.Model
	case event.SessionChanged:
		t.model = e.Settings.Model
	case event.PlanUpdated:
		t.plan = &e
	case event.TurnStarted:
		t.turnModel = t.With.Model(t.model)
		t.step, t.ran, t.failed = openStep{}, false, false
	case event.TurnEnded:
		return t.endTurn(rec, e)
	case event.StepStarted:
		t.step, t.ran = openStep{open: true, started: rec.Time}, false
	case event.StepEnded:
		return t.endStep(rec, e)
	case event.UserMessage:
		t.ran, t.Last = false, rec.Seq
		return t.one(rec, rec.Seq, t.userMessage(rec, e))
	case event.AssistantMessage:
		return t.answer(rec, e)
	case event.RuleViolated:
		return t.objected(rec, e)
	case event.Reminded, event.ContextNote:
		t.Last = rec.Seq
		t.unwritten = append(t.unwritten, rec.Seq)
	case event.CommandRan:
		t.Last = rec.Seq
		return t.one(rec, rec.Seq, bashMessage(rec.Time, e))
	case event.Compacted:
		t.Last = rec.Seq
	case event.Branched:
		t.Last = e.Head
	case event.ToolIntended:
		t.calls[e.Call] = e
	case event.ToolEnded:
		return t.endCall(rec, e)
	case event.Foreign:
		return t.one(rec, t.Last, nil)
	}
	return nil
}

// one returns a message of a record: msg, or, of an imported record, that of its entry.
func (t *Fold) one(rec event.Record, node uint64, msg Message) []Finished {
	if rec.Origin != nil {
		msg = nil
		if t.IDs.origin != "" {
			msg = InEntry(rec.Origin)
		}
	}
	if msg == nil {
		return nil
	}
	return []Finished{t.finished(t.IDs.Take(rec), rec, node, msg)}
}

// finished returns a message of a record.
func (t *Fold) finished(id string, rec event.Record, node uint64, msg Message) Finished {
	for _, seq := range t.unwritten {
		t.instead[seq] = rec.Seq
	}
	t.unwritten = nil
	return Finished{ID: id, Seq: rec.Seq, Node: node, at: rec.Time, Message: msg}
}

func (t *Fold) userMessage(rec event.Record, e event.UserMessage) Message {
	if raw, ok := RawMessage(e.Sent); ok {
		return raw
	}
	m := User{Role: RoleUser, Content: t.contents(e.Blocks), Attribution: "user", Timestamp: rec.Time.UnixMilli()}
	if e.Via == event.ByEngine {
		m.Role, m.Attribution = RoleDeveloper, "agent"
	}
	if len(m.Content) == 0 {
		m.Content = []Content{NewText("")}
	}
	if _, startsWithText := m.Content[0].(Text); !startsWithText {
		m.Content = append([]Content{NewText("")}, m.Content...)
	}
	return m
}

// contents returns the blocks of a message.
func (t *Fold) contents(blocks []model.Block) []Content {
	content := []Content{}
	for _, b := range blocks {
		switch {
		case b.Kind == model.KindText:
			content = append(content, NewText(b.Text))
		case b.Kind == model.KindImage:
			content = append(content, contentOfImage(*b.Image, t.With.Blob))
		case b.Kind == model.KindToolCall:
			content = append(content, toolCall(*b.Call))
		case b.Kind == model.KindThinking:
			content = append(content, thoughts(b)...)
		}
	}
	return content
}

func (t *Fold) answer(rec event.Record, e event.AssistantMessage) []Finished {
	if e.Void && !e.Partial {
		return nil // what was used outside of answers
	}
	if !e.Void {
		t.Last = rec.Seq
	}
	t.step.answered, t.step.imported = true, rec.Origin != nil
	if rec.Origin != nil {
		return t.one(rec, rec.Seq, nil)
	}
	if e.Partial {
		t.step.held = &heldAnswer{rec, e}
		return nil
	}
	for _, b := range e.Blocks {
		if b.Kind == model.KindToolCall {
			t.step.pending = append(t.step.pending, *b.Call)
		}
	}
	return t.one(rec, rec.Seq, t.assistantMessage(rec, e))
}

// assistantMessage returns a whole answer, or the beginning of one that was cut.
func (t *Fold) assistantMessage(rec event.Record, e event.AssistantMessage) Assistant {
	m := t.EmptyAnswer(rec.Time)
	m.Model = cmp.Or(e.Model, m.Model)
	m.Content = t.contents(e.Blocks)
	m.Usage = usageOf(e.Usage, e.Cost, t.turnModel.Cost)
	m.Duration = max(1, rec.Time.UnixMilli()-m.Timestamp)
	switch {
	case e.Stop == model.StopTokens:
		m.StopReason = StopLength
	case e.Stop == model.StopRefused:
		m.StopReason, m.ErrorMessage = StopError, "The provider's safety system refused to answer."
	case e.Stop == model.StopTools || len(t.step.pending) > 0:
		m.StopReason = StopToolUse
	}
	return m
}

// EmptyAnswer returns an answer as it is born. It is as old as its step for life.
func (t *Fold) EmptyAnswer(now time.Time) Assistant {
	born := now
	if t.step.open {
		born = t.step.started
	}
	return Assistant{
		Role: RoleAssistant, Content: []Content{}, API: t.turnModel.API, Provider: t.turnModel.Provider, Model: t.turnModel.ID,
		StopReason: StopStop, Timestamp: born.UnixMilli(),
	}
}

// abortText is why an answer ended that was interrupted.
const abortText = "Request was aborted"

// Because returns why an answer ended: it failed, or, with failure nil, it was interrupted.
func (m Assistant) Because(failure *event.Failure) Assistant {
	m.StopReason, m.ErrorMessage = StopAborted, abortText
	if failure != nil {
		m.StopReason, m.ErrorMessage = StopError, failure.Message
	}
	return m
}

func (t *Fold) endStep(rec event.Record, e event.StepEnded) (all []Finished) {
	step := t.step
	t.failed = e.Failure != nil
	switch {
	case step.held != nil:
		all = t.flush(e.Failure)
	case !step.answered:
		all = t.one(rec, t.Last, t.EmptyAnswer(rec.Time).Because(e.Failure))
	}
	t.ran = len(step.pending) > 0 || step.results > 0 && !step.imported
	all = append(all, t.skipped(rec)...)
	t.step = openStep{}
	clear(t.calls)
	return all
}

// flush returns the answer that was held.
func (t *Fold) flush(failure *event.Failure) []Finished {
	held := t.step.held
	t.step.held = nil
	m := t.assistantMessage(held.rec, held.msg).Because(failure)
	id, seq := t.IDs.First(held.rec.Seq), held.rec.Seq
	if held.msg.Void {
		return []Finished{{ID: id, Seq: seq, Node: seq, at: held.rec.Time, Message: m, Void: true}}
	}
	return []Finished{t.finished(id, held.rec, seq, m)}
}

// objected returns the answer that was cut, and the message to the model about it.
func (t *Fold) objected(rec event.Record, e event.RuleViolated) (all []Finished) {
	if t.step.held != nil {
		all = t.flush(nil)
	}
	if len(e.Blocks) == 0 {
		return all
	}
	t.Last = rec.Seq
	raw, ok := RawMessage(e.Sent)
	if !ok { // of another protocol
		t.unwritten = append(t.unwritten, rec.Seq)
		return all
	}
	return append(all, t.finished(t.IDs.Take(rec), rec, rec.Seq, raw))
}

// The texts of calls that never ran.
const (
	SkippedText    = "Skipped due to queued user message."
	cancelledText  = "[Command cancelled]\n"
	AbortedRunText = "Tool execution was aborted: " + abortText
)

// skipped returns results for the calls that have none. Either a steer came first, then one of
// the calls before has run to its end; or an interrupt did.
func (t *Fold) skipped(rec event.Record) (all []Finished) {
	steered := t.step.results > 0 && !t.step.cut
	for _, call := range t.step.pending {
		intended := t.calls[event.CallID(call.ID)]
		text := SkippedText
		if !steered {
			text = abortedText(call.Name, intended.Tool)
		}
		all = append(all, t.finished(t.IDs.Take(rec), rec, t.Last, ToolResult{
			Role: RoleToolResult, ToolCallID: call.ID, ToolName: call.Name, Content: []Content{NewText(text)},
			Details: noDetails, IsError: true, Timestamp: rec.Time.UnixMilli(),
		}))
	}
	t.step.pending = nil
	return all
}

// abortedText returns the text of a call that was interrupted before it ran.
func abortedText(name, tool string) string {
	if tool == toolShell || tool == "" && name == "bash" {
		return cancelledText
	}
	return AbortedRunText
}

func (t *Fold) endTurn(rec event.Record, e event.TurnEnded) (all []Finished) {
	if t.step.open { // of a broken journal
		all = t.endStep(rec, event.StepEnded{Failure: e.Failure})
	}
	switch {
	case rec.Origin != nil:
	case e.Reason == event.TurnBudget: // it ends after a whole step, and BudgetExceeded has the reason
	case e.Failure != nil && !t.failed:
		all = append(all, t.one(rec, t.Last, t.EmptyAnswer(rec.Time).Because(e.Failure))...)
	case e.Reason == event.TurnInterrupted && t.ran:
		all = append(all, t.one(rec, t.Last, t.EmptyAnswer(rec.Time).Because(nil))...)
	}
	t.ran, t.failed = false, false
	clear(t.calls)
	return all
}

func (t *Fold) endCall(rec event.Record, e event.ToolEnded) []Finished {
	intended := t.calls[e.Call]
	delete(t.calls, e.Call)
	t.step.results++
	t.step.cut = e.Outcome == event.Interrupted
	name := intended.Name
	for i, call := range t.step.pending {
		if call.ID == string(e.Call) {
			name = cmp.Or(name, call.Name)
			t.step.pending = append(t.step.pending[:i:i], t.step.pending[i+1:]...)
			break
		}
	}
	t.trace(intended, e)
	result := t.Result(intended, e)
	t.plan = nil
	return t.one(rec, t.Last, ToolResult{
		Role: RoleToolResult, ToolCallID: string(e.Call), ToolName: name,
		Content: result.Content, Details: result.Details, IsError: e.Outcome != event.Succeeded, Timestamp: rec.Time.UnixMilli(),
	})
}

// trace remembers the files that a call has read or changed.
func (t *Fold) trace(call event.ToolIntended, e event.ToolEnded) {
	if e.Outcome != event.Succeeded {
		return
	}
	if path := inputText(call.Input, "path"); path != "" && call.Tool == toolRead && !t.files[path] {
		t.files[path] = false
	}
	for _, c := range e.Changes {
		t.files[c.Path] = true
	}
}

// Compaction returns the compaction of a record that was passed to Apply. Where nothing was kept it
// names itself: no entry before it is that one.
func (t *Fold) Compaction(rec event.Record, e event.Compacted) CompactionResult {
	kept := rec.Seq
	if e.KeptFrom != 0 {
		kept = e.KeptFrom
	}
	if next, ok := t.instead[kept]; ok {
		kept = next
	} else if slices.Contains(t.unwritten, kept) {
		kept = rec.Seq
	}
	r := CompactionResult{
		Summary: e.Summary, FirstKeptEntryID: t.IDs.First(kept), TokensBefore: e.TokensBefore,
		Details: CompactionDetails{ReadFiles: []string{}, ModifiedFiles: []string{}},
	}
	for _, path := range slices.Sorted(maps.Keys(t.files)) {
		if t.files[path] {
			r.Details.ModifiedFiles = append(r.Details.ModifiedFiles, path)
		} else {
			r.Details.ReadFiles = append(r.Details.ReadFiles, path)
		}
	}
	return r
}

// toolCall returns a call as the model made it.
func toolCall(c model.Call) ToolCall {
	return ToolCall{Type: TypeCall, ID: c.ID, Name: c.Name, Arguments: dialect.Object(c.Input)}
}

// What signatures of thoughts begin with, by the wire they come from. Those of others mean
// nothing elsewhere, but for the bare name of a field.
const (
	AnthropicSignature = "anthropic:"
	AnthropicRedacted  = "anthropic-redacted:"
)

// thoughts returns a block of reasoning; none if there is nothing to show or to send back.
func thoughts(b model.Block) []Content {
	if data, redacted := strings.CutPrefix(b.Signature, AnthropicRedacted); redacted {
		return []Content{RedactedThinking{TypeRedacted, data}}
	}
	if b.Text == "" {
		return nil
	}
	signature, ours := strings.CutPrefix(b.Signature, AnthropicSignature)
	if !ours && strings.Contains(signature, ":") {
		signature = ""
	}
	return []Content{Thinking{TypeThinking, b.Text, signature}}
}

// usageOf splits cost as the prices are.
func usageOf(u model.Usage, cost float64, price ModelCost) Usage {
	const million = 1e6
	c := Cost{
		Input: float64(u.Input) * price.Input / million, Output: float64(u.Output) * price.Output / million,
		CacheRead: float64(u.CacheRead) * price.CacheRead / million, CacheWrite: float64(u.CacheWrite) * price.CacheWrite / million,
	}
	if sum := c.Input + c.Output + c.CacheRead + c.CacheWrite; sum > 0 && math.Abs(sum-cost) > 1e-9 { // the prices have changed
		k := cost / sum
		c = Cost{Input: c.Input * k, Output: c.Output * k, CacheRead: c.CacheRead * k, CacheWrite: c.CacheWrite * k}
	}
	c.Total = cost
	return Usage{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.Input + u.Output + u.CacheRead + u.CacheWrite, c}
}

// RawMessage returns a message that stands in a record as it was sent.
func RawMessage(sent jsontext.Value) (Raw, bool) {
	role, ok := RoleOf(sent)
	if !ok {
		return Raw{}, false
	}
	return Raw{sent, role}, true
}

// bashMessage returns a command of the user.
func bashMessage(at time.Time, e event.CommandRan) BashExecution {
	r := BashResultOf(e)
	return BashExecution{
		Role: RoleBashExecution, Command: e.Shell.Command, Output: r.Output, ExitCode: r.ExitCode,
		Cancelled: r.Cancelled, Truncated: r.Truncated, ExcludeFromContext: e.Hidden, Timestamp: at.UnixMilli(),
	}
}

// BashResultOf returns a command of the user as it is sent to its sender.
func BashResultOf(e event.CommandRan) BashResult {
	r := BashResult{
		Output: e.Output, Cancelled: e.Cancelled || e.Shell.TimedOut, Truncated: e.Cut,
		TotalLines: e.Lines, TotalBytes: e.Bytes, ArtifactID: e.Shell.FullBlob,
	}
	if e.Output != "" {
		r.OutputLines, r.OutputBytes = strings.Count(e.Output, "\n")+1, int64(len(e.Output))
	}
	switch {
	case e.Shell.TimedOut:
		r.Output = timedOutText(time.Duration(e.Ran)) + e.Output
	case e.Cancelled:
		r.Output = cancelledText + e.Output
	default:
		r.ExitCode = &e.Shell.ExitCode
	}
	return r
}

func timedOutText(after time.Duration) string {
	return fmt.Sprintf("[Command timed out after %d seconds]\n", int(after.Round(time.Second).Seconds()))
}
