package engine

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// State is what a session is, as a fold of its durable records. Busy,
// Elsewhere and Context are the running process's own.
type State struct {
	ID        event.SessionID
	Summary   Summary // what lists show of it
	Workspace string
	Parent    event.SessionID
	Settings  event.Settings
	Head      uint64       // number of the last record
	Turn      event.TurnID // the open turn, or ""
	Turns     int          // begun
	Messages  int          // in the history as the model sees it; results not counted
	Results   int          // of tools, in that history; calls that never ran have none
	Usage     model.Usage  // of all model calls
	Cost      float64      // of all model calls, US dollars
	Calls     int          // of tools, that began to run
	Plan      []event.PlanItem
	Phases    []event.PlanPhase // of a plan that is made of tasks
	Steering  []event.Queued
	FollowUps []event.Queued
	Busy      bool // a turn or a compaction runs
	Elsewhere bool // a turn of another process is followed
	Context   int  // tokens the next request fills, as far as is known
}

// Dir is the folder that turns work in.
func (st State) Dir() string { return cmp.Or(st.Settings.Dir, st.Workspace) }

// A fold is the state under construction, with what only the engine needs.
type fold struct {
	state   State
	tree    tree
	entries []entry                       // the history, oldest first
	partly  bool                          // entries are not all: the head went off the path that is loaded
	results map[event.CallID]model.Result // of the calls in entries
	// interrupted is the record of the answer in which the last turn was interrupted; 0: there is none.
	interrupted   uint64
	prompts       map[event.PromptID]event.TurnID
	callIDs       map[event.CallID]bool // every id ever used
	asked         int                   // approvals and questions so far
	answers       int                   // assistant messages so far
	whole         int                   // those that were not cut
	objects       map[string]int        // rules: whole when one of them was last objected to
	environment   *event.Environment    // of the system prompt; nil: no turn was begun
	environmentAt uint64                // the record that has it
	renew         bool                  // the next turn records the environment anew
	found         []string              // names of deferred tools that the model has found, in that order
	changes       string                // files that were not committed at the environment's time; "": none is known
	changed       []string              // files that calls changed, the last changed last
	refused       map[string]bool       // pictures: see pictureKey
	refusedTexts  map[modelText]bool
	answered      map[string]uint64 // by modelKey: the record of the last answer
	refusals      map[string]int    // by modelKey: TextRefused since that answer
	tasks         int               // the first number that no task has
	open          openTurn
	bytes         int // of the history, results included
	known         int // tokens of the context up to the last measured answer; 0: unknown
	since         int // bytes that followed it
}

// An entry is a message of the history: user or assistant. Results hang on their calls.
type entry struct {
	seq uint64
	msg model.Message
	// prompt reports that the user wrote the message.
	prompt bool
	// compacted is set on a summary: it comes first, and its number may be above those after it.
	compacted *event.Compacted
	note      *event.ContextNote // nil: the message is none
}

// openTurn is what TurnEnded will say, so far, and what is unclosed.
type openTurn struct {
	usage     model.Usage
	cost      float64
	steps     int
	rounds    int
	mutations []event.Mutation
	step      int  // the open step, or 0
	asks      bool // the last answer asked for tools
	calls     map[event.CallID]openCall
	approvals []event.ApprovalID
	questions []event.QuestionID
	subagents []openSubagent
	grown     event.AnswerGrew // all that the answer under way has said
}

// openSubagent is one that works, and its verification that runs.
type openSubagent struct {
	event.SubagentStarted
	attempt int // 0: none
}

type openCall struct {
	name    string
	started bool
}

func newFold() *fold {
	return &fold{
		results: map[event.CallID]model.Result{},
		prompts: map[event.PromptID]event.TurnID{},
		callIDs: map[event.CallID]bool{},
		objects: map[string]int{},
		refused: map[string]bool{}, refusedTexts: map[modelText]bool{}, answered: map[string]uint64{}, refusals: map[string]int{},
	}
}

// apply takes the next durable record. Kinds without a case change nothing.
func (f *fold) apply(rec event.Record) {
	f.state.Head = rec.Seq
	f.state.Summary.Apply(rec)
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		f.state.ID, f.state.Workspace, f.state.Parent, f.state.Settings = e.ID, e.Workspace, e.Parent, e.Settings
	case event.SessionChanged:
		if e.Settings.Model != f.state.Settings.Model {
			f.known = 0 // another tokenizer
		}
		f.state.Settings = e.Settings
	case event.PlanUpdated:
		f.state.Plan, f.state.Phases = e.Items, e.Phases
	case event.QueueChanged:
		f.state.Steering, f.state.FollowUps = e.Steering, e.FollowUps
	case event.Branched:
		f.branch(rec.Seq, e.Head)
	case event.Compacted:
		f.tree.add(rec.Seq)
		f.compact(rec.Seq, e)
	case event.ResultsCut:
		f.cutResults(e)
	case event.ToolsFound:
		f.found = append(f.found, e.Names...)
	case event.PicturesRefused:
		f.refusePictures(e)
	case event.TextRefused:
		f.refuseText(e)
	case event.CommandRan:
		f.tree.add(rec.Seq)
		if !e.Hidden {
			f.add(rec.Seq, model.UserText(commandText(e)))
		}
	default:
		f.applyTurn(rec)
	}
}

func (f *fold) applyTurn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		f.state.Turn, f.open = rec.Turn, openTurn{calls: map[event.CallID]openCall{}}
		f.state.Turns++
		f.prompts[e.Prompt] = rec.Turn
		if e.Environment != nil {
			f.environment, f.environmentAt, f.renew, f.changes = e.Environment, rec.Seq, false, ""
		}
	case event.TurnEnded:
		f.state.Turn, f.open = "", openTurn{}
		f.interrupted = 0
		if e.Reason == event.TurnInterrupted {
			f.interrupted = f.lastAnswer()
		}
	case event.StepStarted:
		f.open.steps, f.open.step = f.open.steps+1, e.Step
		if f.open.asks {
			f.open.rounds, f.open.asks = f.open.rounds+1, false
		}
	case event.StepEnded:
		f.open.step = 0
	case event.UserMessage:
		f.prompts[e.ID] = rec.Turn
		f.tree.add(rec.Seq)
		f.addEntry(entry{
			seq: rec.Seq, msg: model.Message{Role: model.User, Blocks: f.afterInterrupt(e.Blocks)}, prompt: e.Via != event.ByEngine,
		})
	case event.AssistantMessage:
		if !e.Void {
			f.tree.add(rec.Seq)
		}
		f.answer(rec.Seq, e)
	case event.AnswerGrew:
		f.answerGrew(e)
	case event.Objected:
		f.objected(rec.Seq, e)
	case event.Reminded:
		f.tree.add(rec.Seq)
		f.add(rec.Seq, model.UserText(e.Text))
	case event.ContextNote:
		if e.Topic == event.NoteChanges {
			f.changes = e.Text
			break
		}
		f.tree.add(rec.Seq)
		f.addEntry(entry{seq: rec.Seq, msg: model.UserText(e.Text), note: &e})
	default:
		f.applyCall(rec.Event)
	}
}

func (f *fold) applyCall(e event.Event) {
	switch e := e.(type) {
	case event.ToolIntended:
		f.callIDs[e.Call] = true
		f.openCall(e.Call, openCall{name: e.Name})
	case event.ToolStarted:
		f.openCall(e.Call, openCall{name: f.open.calls[e.Call].name, started: true})
		f.state.Calls++
	case event.ToolEnded:
		f.endCall(e)
	case event.ApprovalAsked:
		f.asked++
		f.open.approvals = append(f.open.approvals, e.ID)
	case event.ApprovalAnswered:
		f.open.approvals = without(f.open.approvals, e.ID)
	case event.QuestionAsked:
		f.asked++
		f.open.questions = append(f.open.questions, e.ID)
	case event.QuestionAnswered:
		f.open.questions = without(f.open.questions, e.ID)
	default:
		f.applyTask(e)
	}
}

// applyTask takes what is told of subagents. What they used counts as the session's.
func (f *fold) applyTask(e event.Event) {
	switch e := e.(type) {
	case event.SubagentStarted:
		number, _, _ := strings.Cut(e.Task, "-")
		if n, err := strconv.Atoi(number); err == nil {
			f.tasks = max(f.tasks, n+1)
		}
		f.open.subagents = append(f.open.subagents, openSubagent{SubagentStarted: e})
	case event.VerificationStarted:
		f.verifies(e.Task, e.Attempt)
	case event.VerificationEnded:
		f.verifies(e.Task, 0)
	case event.Sampled:
		f.spend(e.Usage, e.Cost)
	case event.SubagentEnded:
		f.spend(e.Usage, e.Cost)
		f.open.subagents = slices.DeleteFunc(f.open.subagents, func(o openSubagent) bool { return o.Task == e.Task })
	}
}

func (f *fold) verifies(task string, attempt int) {
	for i := range f.open.subagents {
		if f.open.subagents[i].Task == task {
			f.open.subagents[i].attempt = attempt
		}
	}
}

func (f *fold) answer(seq uint64, e event.AssistantMessage) {
	f.answers++
	f.open.grown = event.AnswerGrew{}
	f.spend(e.Usage, e.Cost)
	if !e.Partial {
		f.whole++
	}
	f.accepted(seq, e)
	if e.Void {
		return
	}
	if blocks := historical(e); len(blocks) > 0 {
		m := model.Message{Role: model.Assistant, Blocks: blocks, Provider: e.Provider, Model: e.Model}
		f.open.asks = len(m.Calls()) > 0
		f.add(seq, m)
	}
	switch {
	case !e.Usage.Estimated && e.Usage.Context() > 0:
		f.known, f.since = e.Usage.Context()+e.Usage.Output, 0
	case f.known > 0:
		f.since += e.Usage.Output * bytesPerToken
	}
}

// interruptNote is what the model reads before the prompt that follows an answer which the user
// interrupted; after an interrupted call its result says so.
const interruptNote = "[the user interrupted the answer above]"

// lastAnswer returns the record of the last message of the history, if that is an answer without
// calls; else 0.
func (f *fold) lastAnswer() uint64 {
	if f.partly || len(f.entries) == 0 {
		return 0
	}
	last := f.entries[len(f.entries)-1]
	if last.msg.Role != model.Assistant || len(last.msg.Calls()) > 0 {
		return 0
	}
	return last.seq
}

// lastAnswerText returns the text of the last answer in the history; "" if there is none.
func (f *fold) lastAnswerText() string {
	for i := len(f.entries) - 1; i >= 0; i-- {
		if f.entries[i].msg.Role == model.Assistant {
			return f.entries[i].msg.Text()
		}
	}
	return ""
}

// afterInterrupt returns the blocks of a user message, with interruptNote before them where it is due.
func (f *fold) afterInterrupt(blocks []model.Block) []model.Block {
	if f.interrupted == 0 || f.interrupted != f.lastAnswer() {
		return blocks
	}
	f.interrupted = 0
	return append([]model.Block{model.TextBlock(interruptNote + "\n\n")}, blocks...)
}

// historical is the blocks of an answer that models are told of again. Reasoning that was
// cut has no signature yet: no provider takes it back.
func historical(e event.AssistantMessage) []model.Block {
	if !e.Partial {
		return e.Blocks
	}
	return slices.DeleteFunc(slices.Clone(e.Blocks), func(b model.Block) bool { return b.Kind == model.KindThinking })
}

func (f *fold) openCall(id event.CallID, c openCall) {
	if f.open.calls == nil {
		f.open.calls = map[event.CallID]openCall{}
	}
	f.open.calls[id] = c
}

func (f *fold) endCall(e event.ToolEnded) {
	name := f.open.calls[e.Call].name
	delete(f.open.calls, e.Call)
	result := model.Result{CallID: string(e.Call), Text: e.Output, Images: e.Images, IsError: e.Outcome != event.Succeeded}
	f.grow(resultBytes(result))
	if !f.partly {
		f.results[e.Call] = result
	}
	f.state.Results = len(f.results)
	if e.Outcome != event.Succeeded && e.Outcome != event.Failed { // a hook may find fault with what was done
		return
	}
	for _, c := range e.Changes {
		f.changed = append(lastOf(without(f.changed, c.Path), maxCarriedFiles-1), c.Path)
		m := event.Mutation{Tool: name, Path: c.Path}
		if !slices.Contains(f.open.mutations, m) {
			f.open.mutations = append(f.open.mutations, m)
		}
	}
}

func (f *fold) spend(u model.Usage, cost float64) {
	f.state.Usage, f.state.Cost = f.state.Usage.Add(u), f.state.Cost+cost
	f.open.usage, f.open.cost = f.open.usage.Add(u), f.open.cost+cost
}

func (f *fold) add(seq uint64, m model.Message) { f.addEntry(entry{seq: seq, msg: m}) }

func (f *fold) addEntry(e entry) {
	m := e.msg
	if !f.partly {
		f.entries = append(f.entries, e)
		f.state.Messages = len(f.entries)
	}
	for _, call := range m.Calls() {
		f.callIDs[event.CallID(call.ID)] = true
	}
	if m.Role == model.User {
		f.grow(messageBytes(m))
	} else {
		f.bytes += messageBytes(m) // its tokens are measured, or come with its usage
	}
}

func (f *fold) grow(bytes int) {
	f.bytes += bytes
	f.since += bytes
}

// head is the node that the history ends in; 0 if it is empty.
func (f *fold) head() uint64 { return f.tree.head }

// missing counts the messages that are not among entries.
func (f *fold) missing(entries []entry) int {
	there := map[uint64]bool{}
	for _, e := range entries {
		there[e.seq] = true
	}
	n := 0
	for _, e := range f.entries {
		if !there[e.seq] {
			n++
		}
	}
	return n
}

// setEntries replaces the history and forgets the results of calls that left it.
func (f *fold) setEntries(entries []entry) {
	results := map[event.CallID]model.Result{}
	for _, e := range entries {
		for _, call := range e.msg.Calls() {
			id := event.CallID(call.ID)
			if r, ok := f.results[id]; ok {
				results[id] = r
			}
		}
	}
	f.entries, f.results, f.known, f.bytes = entries, results, 0, 0
	for _, e := range entries {
		f.bytes += f.entryBytes(e)
	}
	f.state.Messages, f.state.Results = len(entries), len(results)
}

func without[T comparable](list []T, item T) []T {
	return slices.DeleteFunc(list, func(x T) bool { return x == item })
}
