package sessionfile

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Format names these files in records.
const Format = "pi"

// An Imported is a file as records: the i-th will get number i + 2, since the first
// record of a journal is the SessionCreated that is made of the rest.
type Imported struct {
	Created   time.Time
	Workspace string // as the file has it
	Parent    string // as the file has it
	Settings  event.Settings
	Records   []event.Record
}

// Import turns a file into records. Each entry stands in the Origin of one of them, so
// that it comes out again as it was. The tree of the file is walked depth first, the path of
// its last line last: there the history ends.
func Import(header Header, entries []Entry) Imported {
	im := &Importer{
		settings: event.Settings{Name: header.Title}, seqs: map[string]uint64{}, nodes: map[string]uint64{},
		after: map[string]event.Settings{}, plans: map[string][]event.PlanPhase{}, Calls: map[string]int{}, parents: map[string]string{},
	}
	im.after[""] = im.settings
	result := Imported{Created: message.EntryTime(header.Timestamp), Workspace: header.Cwd, Parent: header.ParentSession, Settings: im.settings}
	at := ""
	for _, step := range walk(entries) {
		if step.parent != at {
			im.moveTo(step.parent)
		}
		im.parents[step.entry.ID] = step.parent
		im.take(step.entry)
		at = step.entry.ID
		im.nodes[at], im.after[at], im.plans[at] = im.node, im.settings, im.plan
	}
	im.endTurn()
	result.Records = im.records
	return result
}

// A visit is an entry and the one that it hangs on: "" for a root.
type visit struct {
	entry  Entry
	parent string
}

// walk returns the entries depth first, the path to the last of them last.
func walk(entries []Entry) []visit {
	parents := parentsOf(entries)
	roots := len(entries)
	children := make([][]int, len(entries)+1) // the last: roots
	for i, parent := range parents {
		children[parent] = append(children[parent], i)
	}
	for i := len(entries) - 1; i >= 0 && i != roots; i = parents[i] { // the path, from its end
		siblings := children[parents[i]]
		at := slices.Index(siblings, i)
		children[parents[i]] = append(slices.Delete(siblings, at, at+1), i)
	}
	visits := make([]visit, 0, len(entries))
	var open []int // to visit, the next one last
	push := func(list []int) {
		for _, i := range slices.Backward(list) {
			open = append(open, i)
		}
	}
	push(children[roots])
	for len(open) > 0 {
		i := open[len(open)-1]
		open = open[:len(open)-1]
		v := visit{entry: entries[i]}
		if parents[i] != roots {
			v.parent = entries[parents[i]].ID
		}
		visits = append(visits, v)
		push(children[i])
	}
	return visits
}

// parentsOf returns the entry before each, len(entries) for none: also where the one that is named
// is not there. In a circle one of them has none, and nothing hangs on the last line.
func parentsOf(entries []Entry) []int {
	none := len(entries)
	index := make(map[string]int, len(entries))
	for i, e := range entries {
		index[e.ID] = i
	}
	parents := make([]int, len(entries))
	walked := make([]int, len(entries)) // 0: not yet; else in which walk
	for n := range len(entries) + 1 {
		i := n - 1
		if n == 0 {
			i = len(entries) - 1 // the last line's path stays as it is
		}
		for i >= 0 && i < none && walked[i] == 0 {
			walked[i] = n + 1
			parent, known := index[entries[i].Parent]
			if !known || walked[parent] == n+1 || parent == none-1 {
				parent = none
			}
			parents[i] = parent
			i = parent
		}
	}
	return parents
}

// An Importer is the fold from entries to records.
type Importer struct {
	records  []event.Record
	settings event.Settings
	node     uint64                    // the last record of the history
	seqs     map[string]uint64         // by entries: their records
	nodes    map[string]uint64         // by entries: where a history that ends with them has its head
	after    map[string]event.Settings // by entries
	plan     []event.PlanPhase
	plans    map[string][]event.PlanPhase // by entries
	parents  map[string]string            // by entries
	Calls    map[string]int               // every id ever used, and how often
	turns    int
	turn     event.TurnID // the open turn, or ""
	step     int          // the open step, or 0
	steps    int          // of the turn
	wants    []wanted     // the calls of the open step without a result
	answer   event.MessageID
	asks     bool // the last answer asked for tools
	failure  *event.Failure
	cut      bool
}

// wanted is a call that waits for its result.
type wanted struct {
	id   string // in the file
	call model.Call
}

// nothing is the Origin of a record that stands for no entry, and is none of our own either.
var nothing = jsontext.Value("{}")

func (im *Importer) append(at time.Time, e event.Event, origin jsontext.Value) uint64 {
	im.records = append(im.records, event.Record{Time: at, Turn: im.turn, Event: e, Origin: origin})
	return uint64(len(im.records)) + 1
}

// moveTo goes on after another entry.
func (im *Importer) moveTo(id string) {
	im.endTurn()
	at := im.lastTime()
	im.node = im.nodes[id]
	im.append(at, event.Branched{Head: im.node}, nil)
	if settings := im.after[id]; settings.Model != im.settings.Model || settings.Thinking != im.settings.Thinking || settings.Name != im.settings.Name {
		im.settings = settings
		im.append(at, event.SessionChanged{Settings: settings}, nothing)
	}
	im.setPlan(at, im.plans[id])
}

func (im *Importer) lastTime() time.Time {
	if n := len(im.records); n > 0 {
		return im.records[n-1].Time
	}
	return time.Time{}
}

// take turns an entry into the record that has it as Origin, and those around it.
func (im *Importer) take(e Entry) {
	at := e.time()
	switch e.Type {
	case message.EntryMessage:
		im.message(e, at)
	case message.EntryCustomMessage, message.EntryBranchSummary:
		im.note(e, at)
	case entryCompaction:
		im.endStep()
		c := e.compaction()
		im.node = im.put(e, at, event.Compacted{
			Reason: event.CompactAsked, Summary: c.Summary, KeptFrom: im.keptFrom(c.FirstKeptEntryID, e.ID), TokensBefore: c.TokensBefore,
		})
	case entryModel:
		im.modelChange(e, at)
	case entryThinking:
		level := e.text("thinkingLevel")
		if level == "" {
			level = string(message.ThinkingOff)
		}
		im.settings.Thinking = model.Thinking(level)
		im.put(e, at, event.SessionChanged{Settings: im.settings})
	case entryName:
		im.settings.Name = e.text("name")
		im.put(e, at, event.SessionChanged{Settings: im.settings})
	case entryLabel:
		if target, known := im.seqs[e.text("targetId")]; known {
			im.put(e, at, event.Labelled{Target: target, Label: e.text("label")})
			return
		}
		im.foreign(e, at)
	case entryRules:
		im.put(e, at, event.RuleViolated{Rules: e.texts("injectedRules"), Blocks: []model.Block{}})
	default:
		im.foreign(e, at)
	}
}

func (im *Importer) put(e Entry, at time.Time, ev event.Event) uint64 {
	seq := im.append(at, ev, e.raw)
	im.seqs[e.ID] = seq
	return seq
}

func (im *Importer) foreign(e Entry, at time.Time) { im.put(e, at, event.Foreign{Format: Format}) }

// keptFrom returns the first message of the history that an entry is, or what comes after it on
// the path to compaction; 0 if there is none.
func (im *Importer) keptFrom(kept, compaction string) (first uint64) {
	for id := im.parents[compaction]; id != ""; id = im.parents[id] {
		switch im.records[im.seqs[id]-2].Event.(type) {
		case event.UserMessage, event.AssistantMessage, event.CommandRan:
			first = im.seqs[id]
		}
		if id == kept {
			return first
		}
	}
	return 0
}

// modelChange changes the session's model; those of other roles mean nothing here.
func (im *Importer) modelChange(e Entry, at time.Time) {
	if role := e.text("role"); role != "" && role != "default" {
		im.foreign(e, at)
		return
	}
	name := e.text("model")
	if name == "" {
		name = e.text("provider") + "/" + e.text("modelId")
	}
	im.settings.Model = name
	im.put(e, at, event.SessionChanged{Settings: im.settings})
}

// message turns a message into what it was here.
func (im *Importer) message(e Entry, at time.Time) {
	raw, ok := e.Message().(message.Raw)
	if !ok {
		im.foreign(e, at)
		return
	}
	m := message.Parsed(raw)
	switch raw.Role {
	case message.RoleUser:
		im.user(e, at, m)
	case message.RoleAssistant:
		im.assistant(e, at, m)
	case message.RoleToolResult:
		im.result(e, at, m)
	case message.RoleBashExecution:
		im.endTurn()
		im.node = im.put(e, at, commandOf(m))
	default:
		im.note(e, at)
	}
}

// user begins a turn, unless the run goes on: the last answer asked for tools.
func (im *Importer) user(e Entry, at time.Time, m *rawjson.Members) {
	via := event.ByPrompt
	if im.turn != "" && im.asks && !im.cut && im.failure == nil {
		im.endStep()
		via = event.BySteer
	} else {
		im.endTurn()
		im.begin(at)
	}
	im.node = im.put(e, at, event.UserMessage{ID: im.promptID(0), Via: via, Blocks: message.BlocksForModel(m.Get("content"))})
}

// promptID returns an id for the next record but ahead.
func (im *Importer) promptID(ahead int) event.PromptID {
	return event.PromptID(fmt.Sprintf("i-%d", len(im.records)+ahead))
}

func (im *Importer) begin(at time.Time) {
	im.turns++
	im.turn = event.TurnID(fmt.Sprintf("i%d", im.turns))
	im.steps, im.asks, im.cut, im.failure = 0, false, false, nil
	im.append(at, event.TurnStarted{Prompt: im.promptID(1)}, nil)
}

// note is a message that no user said.
func (im *Importer) note(e Entry, at time.Time) {
	im.endStep()
	msg := e.Message()
	blocks := message.ModelBlocks(msg)
	im.node = im.put(e, at, event.UserMessage{ID: im.promptID(0), Via: event.ByEngine, Blocks: blocks, Sent: rawjson.Marshal(msg)})
}

// assistant is an answer, in a turn of its own where there is none.
func (im *Importer) assistant(e Entry, at time.Time, m *rawjson.Members) {
	im.endStep()
	if im.turn == "" {
		im.begin(at)
	}
	im.steps++
	im.step = im.steps
	provider, name := rawjson.PlainText(m.Get("provider")), rawjson.PlainText(m.Get("model"))
	if full := provider + "/" + name; provider != "" && name != "" && full != im.settings.Model {
		im.settings.Model = full
		im.append(at, event.SessionChanged{Settings: im.settings}, nothing)
	}
	began := at
	if ms := rawjson.Number(m.Get("timestamp")); ms > 0 && ms < 1<<52 {
		began = time.UnixMilli(int64(ms)).UTC()
	}
	im.append(began, event.StepStarted{Step: im.step, Model: name}, nil)
	stop := message.StopReason(rawjson.PlainText(m.Get("stopReason")))
	im.answer = event.MessageID(fmt.Sprintf("i%d", len(im.records)))
	answer := event.AssistantMessage{ID: im.answer, Provider: provider, Model: name, Partial: stop == message.StopError || stop == message.StopAborted}
	im.cut, im.failure = stop == message.StopAborted, nil
	switch stop {
	case message.StopError:
		im.failure = &event.Failure{Kind: engine.FailInternal, Message: rawjson.PlainText(m.Get("errorMessage"))}
	case message.StopLength:
		answer.Stop = model.StopTokens
	case message.StopToolUse:
		answer.Stop = model.StopTools
	case message.StopStop:
		answer.Stop = model.StopEnd
	}
	usage, _ := message.UsageFrom(m.Get("usage"))
	answer.Usage = model.Usage{Input: usage.Input, Output: usage.Output, CacheRead: usage.CacheRead, CacheWrite: usage.CacheWrite}
	answer.Cost = usage.Cost.Total
	answer.Blocks = im.AnswerBlocks(m, !answer.Partial)
	im.asks = len(im.wants) > 0
	im.node = im.put(e, at, answer)
}

// AnswerBlocks returns what an answer said. Whether a signature is valid depends on the model that made it.
func (im *Importer) AnswerBlocks(m *rawjson.Members, withCalls bool) []model.Block {
	var blocks []model.Block
	api := rawjson.PlainText(m.Get("api"))
	im.wants = nil
	for _, b := range message.RawBlocks(m.Get("content")) {
		switch {
		case b.Type == message.TypeText:
			blocks = append(blocks, model.TextBlock(b.Text))
		case b.Type == message.TypeThinking:
			block := model.Block{Kind: "thinking", Text: b.Thinking}
			switch {
			case b.ThinkingSignature == "":
			case api == message.APIAnthropic:
				block.Signature = message.AnthropicSignature + b.ThinkingSignature
			case api == message.APICompletions && !strings.ContainsAny(b.ThinkingSignature, `{:"`):
				block.Signature = b.ThinkingSignature // the name of a field
			}
			blocks = append(blocks, block)
		case b.Type == message.TypeRedacted && api == message.APIAnthropic:
			blocks = append(blocks, model.Block{Kind: "thinking", Signature: message.AnthropicRedacted + b.Data})
		case b.Type == message.TypeCall && withCalls:
			call := model.Call{ID: im.callID(b.ID), Name: b.Name, Input: jsontext.Value(`{}`)}
			if b.Arguments.Kind() == jsontext.KindBeginObject {
				call.Input = b.Arguments
			}
			blocks = append(blocks, model.Block{Kind: "tool_call", Call: &call})
			im.wants = append(im.wants, wanted{b.ID, call})
		}
	}
	return blocks
}

// callID returns an id that no call has had: some programs begin to count anew with each answer.
func (im *Importer) callID(id string) string {
	fresh := id
	for fresh == "" || im.Calls[fresh] > 0 {
		im.Calls[id]++
		fresh = fmt.Sprintf("%s#%d", id, im.Calls[id])
	}
	im.Calls[fresh]++
	return fresh
}

// result ends a call of the open step. One that was not requested is only kept.
func (im *Importer) result(e Entry, at time.Time, m *rawjson.Members) {
	id := rawjson.PlainText(m.Get("toolCallId"))
	i := slices.IndexFunc(im.wants, func(w wanted) bool { return w.id == id })
	if im.step == 0 || i < 0 {
		im.foreign(e, at)
		return
	}
	call := im.wants[i].call
	im.wants = slices.Delete(im.wants, i, i+1)
	im.append(at, event.ToolIntended{Call: event.CallID(call.ID), Message: im.answer, Name: call.Name, Input: call.Input}, nil)
	ended := event.ToolEnded{Call: event.CallID(call.ID), Outcome: event.Succeeded}
	if m.Get("isError").Kind() == jsontext.KindTrue {
		ended.Outcome = event.Failed
	}
	var texts []string
	for _, b := range message.BlocksForModel(m.Get("content")) {
		if b.Kind == model.KindImage {
			ended.Images = append(ended.Images, *b.Image)
			continue
		}
		texts = append(texts, b.Text)
	}
	ended.Output = strings.Join(texts, "\n")
	if phases := message.TodosIn(m.Get("details")); phases != nil {
		im.setPlan(at, phases)
	}
	im.put(e, at, ended)
}

// commandOf returns a command of the user.
func commandOf(m *rawjson.Members) event.CommandRan {
	output := rawjson.PlainText(m.Get("output"))
	ran := event.CommandRan{
		Shell:  event.ShellRun{Command: rawjson.PlainText(m.Get("command")), ExitCode: int(rawjson.Number(m.Get("exitCode")))},
		Output: output, Cut: rawjson.IsTrue(m.Get("truncated")), Lines: strings.Count(output, "\n") + 1, Bytes: int64(len(output)),
		Cancelled: rawjson.IsTrue(m.Get("cancelled")), Hidden: rawjson.IsTrue(m.Get("excludeFromContext")),
	}
	return ran
}

func (im *Importer) endStep() {
	if im.step == 0 {
		return
	}
	im.append(im.lastTime(), event.StepEnded{Step: im.step, Failure: im.failure}, nil)
	im.step, im.wants = 0, nil
}

func (im *Importer) endTurn() {
	im.endStep()
	if im.turn == "" {
		return
	}
	end := event.TurnEnded{Reason: event.TurnCompleted, Steps: im.steps, Mutations: []event.Mutation{}}
	switch {
	case im.failure != nil:
		end.Reason, end.Failure = event.TurnFailed, im.failure
	case im.cut:
		end.Reason = event.TurnInterrupted
	}
	im.append(im.lastTime(), end, nil)
	im.turn, im.asks = "", false
}
