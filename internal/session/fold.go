package session

import (
	"slices"
	"strconv"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Fold is what the durable records of a session amount to. Apply changes it, and so do Adopt, NewCall
// and DropCalls; everything else reads. The zero Fold is not usable: see New.
type Fold struct {
	State State
	// ApproveAll names profiles that had every call approved whatever the settings of their sessions were; set it before the
	// first record.
	ApproveAll []string

	Entries []Entry                       // the history, oldest first
	Results map[event.CallID]model.Result // of the calls in Entries
	// Incomplete reports that Entries and Results are missing: the head moved to a path that is not
	// loaded. Reload and Adopt bring them.
	Incomplete bool
	Open       OpenTurn
	LastTurn   LastTurn
	Prompts    map[event.PromptID]Accepted // every prompt, and the turn that took it
	Commands   Commands                    // of the user, that have an id
	Requested  int                         // approvals and questions so far
	NextTask   int                         // the first number that no task of a subagent has

	Backend          BackendSession     // of the agent that runs the turns
	Environment      *event.Environment // of the system prompt; nil: no turn was begun
	EnvironmentSeq   uint64             // the record that has it
	RenewEnvironment bool               // the next turn records the environment anew
	Uncommitted      string             // files that were not committed at the time of Environment; "": unknown, or none
	ChangedFiles     []string           // by calls, the last changed last; at most MaxCarriedFiles
	FoundTools       []string           // names of deferred tools that the model has found, in that order

	WholeAnswers int            // assistant messages that were not cut
	Objections   map[string]int // by rule: WholeAnswers when it was last violated
	Refusals     map[string]int // by ModelKey: events TextRefused since its last answer

	Bytes      int // of the history, results included
	Measured   int // tokens of the context up to the last answer whose usage is known; 0: unknown
	BytesSince int // bytes of the history after that answer

	tree         tree
	interrupted  uint64                // the record of the answer in which the last turn was interrupted; 0: there is none
	approveAll   bool                  // see setPolicy
	callIDs      map[event.CallID]bool // every id ever used
	answers      int                   // assistant messages so far
	answered     map[string]uint64     // by ModelKey: the record of its last answer
	refusedTexts map[modelText]bool
	refusedImage map[modelPicture]bool
}

// An Entry is a message of the history, of the user or the assistant. The results of its calls are in
// Fold.Results.
type Entry struct {
	Seq     uint64 // of its record
	Message model.Message
	Prompt  bool // the user wrote it
	// Compacted is set on a summary, which is the first entry; its Seq may be above those after it.
	Compacted *event.Compacted
	Note      *event.ContextNote // nil: the message is none
}

// New returns the fold of no records.
func New() *Fold {
	return &Fold{
		Results: map[event.CallID]model.Result{}, Prompts: map[event.PromptID]Accepted{},
		Objections: map[string]int{}, Refusals: map[string]int{},
		callIDs: map[event.CallID]bool{}, answered: map[string]uint64{},
		refusedTexts: map[modelText]bool{}, refusedImage: map[modelPicture]bool{},
	}
}

// Apply takes the next durable record. Kinds without a case change nothing.
func (f *Fold) Apply(rec event.Record) {
	f.State.Head = rec.Seq
	if rec.Turn != "" && rec.Turn != f.LastTurn.ID {
		f.LastTurn = LastTurn{ID: rec.Turn, Before: f.tree.head}
	}
	f.State.Summary.Apply(rec)
	f.State.Clients = max(f.State.Clients, clientOf(rec.Event).N)
	switch e := rec.Event.(type) {
	case event.SessionCreated:
		f.State.ID, f.State.Workspace, f.State.Parent = e.ID, e.Workspace, e.Parent
		f.State.Profile, f.State.Changed = e.Profile, rec.Seq
		f.approveAll = slices.Contains(f.ApproveAll, e.Profile)
		f.setPolicy(e.Settings, event.Client{})
	case event.SessionChanged:
		f.State.Changed = rec.Seq
		if e.Settings.Model != f.State.Settings.Model {
			f.Measured = 0 // another tokenizer
		}
		f.setPolicy(e.Settings, e.Client)
	case event.BackendOpened:
		f.Backend.open(rec.Seq, e)
	case event.BackendAnswered:
		f.Backend.answer(e)
	case event.PlanUpdated:
		f.State.Plan, f.State.Phases = e.Items, e.Phases
	case event.QueueChanged:
		f.State.Steering, f.State.FollowUps = e.Steering, e.FollowUps
		f.LastTurn.QueueLeft = f.LastTurn.QueueLeft && f.queued()
		f.waits(e.Steering, Accepted{f.State.Turn, event.BySteer})
		f.waits(e.FollowUps, Accepted{Via: event.ByFollowUp})
	case event.Branched:
		before := f.tree.head
		f.branch(rec.Seq, e.Head)
		f.Backend.leave(before, f.tree.head)
	case event.Compacted:
		if e.Agent {
			break
		}
		f.tree.add(rec.Seq)
		f.compact(rec.Seq, e)
	case event.ResultsCut:
		f.cutResults(e)
	case event.ToolsFound:
		f.FoundTools = append(f.FoundTools, e.Names...)
	case event.PicturesRefused:
		f.refusePictures(e)
	case event.TextRefused:
		f.refuseText(e)
	case event.CommandStarted:
		f.Commands.start(e)
	case event.CommandRan:
		f.Commands.end(e.ID)
		f.tree.add(rec.Seq)
		if !e.Hidden {
			f.add(rec.Seq, model.UserText(CommandText(e)))
		}
	default:
		f.applyTurn(rec)
	}
}

func (f *Fold) applyTurn(rec event.Record) {
	switch e := rec.Event.(type) {
	case event.TurnStarted:
		f.State.Turn, f.Open = rec.Turn, OpenTurn{Began: rec.Seq, Dir: f.State.Dir(), Calls: map[event.CallID]OpenCall{}}
		f.State.Turns++
		f.delivers(e.Prompt, Accepted{rec.Turn, event.ByPrompt})
		if e.Environment != nil {
			f.Environment, f.EnvironmentSeq, f.RenewEnvironment, f.Uncommitted = e.Environment, rec.Seq, false, ""
		}
	case event.TurnEnded:
		f.Backend.endTurn()
		f.State.Turn, f.Open = "", OpenTurn{}
		f.LastTurn.After, f.LastTurn.Refused = f.tree.head, e.Reason == event.TurnRefused
		byEnd := e.Recovered || e.Reason == event.TurnInterrupted && e.Client == (event.Client{})
		f.LastTurn.QueueLeft = byEnd && f.queued()
		f.interrupted = 0
		if e.Reason == event.TurnInterrupted {
			f.interrupted = f.lastAnswer()
		}
	case event.StepStarted:
		f.Open.Steps, f.Open.Step = f.Open.Steps+1, e.Step
		f.LastTurn.Refused = false
		if f.Open.AsksForTools {
			f.Open.Rounds, f.Open.AsksForTools = f.Open.Rounds+1, false
		}
	case event.StepEnded:
		f.Open.Step = 0
	case event.UserMessage:
		f.delivers(e.ID, Accepted{rec.Turn, e.Via})
		if e.Via != event.ByEngine {
			f.promptBackend(rec.Turn)
		}
		f.tree.add(rec.Seq)
		f.addEntry(Entry{
			Seq: rec.Seq, Message: model.Message{Role: model.User, Blocks: f.afterInterrupt(e.Blocks)}, Prompt: e.Via != event.ByEngine,
		})
	case event.AssistantMessage:
		if !e.Void {
			f.tree.add(rec.Seq)
			f.LastTurn.Refused = e.Stop == model.StopRefused
		}
		f.answer(rec.Seq, e)
	case event.AnswerGrew:
		f.answerGrew(e)
	case event.RuleViolated:
		f.objected(rec.Seq, e)
	case event.Reminded:
		f.tree.add(rec.Seq)
		f.add(rec.Seq, model.UserText(e.Text))
	case event.ContextNote:
		if e.Topic == event.NoteChanges {
			f.Uncommitted = e.Text
			break
		}
		f.tree.add(rec.Seq)
		f.addEntry(Entry{Seq: rec.Seq, Message: model.UserText(e.Text), Note: &e})
	default:
		f.applyCall(rec.Event)
	}
}

func (f *Fold) applyCall(e event.Event) {
	switch e := e.(type) {
	case event.ToolIntended:
		f.callIDs[e.Call] = true
		f.openCall(e.Call, OpenCall{Name: e.Name})
	case event.ToolStarted:
		f.openCall(e.Call, OpenCall{Name: f.Open.Calls[e.Call].Name, Started: true})
		f.State.Calls++
	case event.ToolEnded:
		f.endCall(e)
	case event.ApprovalAsked:
		f.Requested++
		f.Open.Approvals = append(f.Open.Approvals, e.ID)
	case event.ApprovalAnswered:
		f.Open.Approvals = without(f.Open.Approvals, e.ID)
	case event.QuestionAsked:
		f.Requested++
		f.Open.Questions = append(f.Open.Questions, e.ID)
	case event.QuestionAnswered:
		f.Open.Questions = without(f.Open.Questions, e.ID)
	default:
		f.applyTask(e)
	}
}

// applyTask takes what belongs to subagents. Their usage counts as the session's.
func (f *Fold) applyTask(e event.Event) {
	switch e := e.(type) {
	case event.SubagentStarted:
		number, _, _ := strings.Cut(e.Task, "-")
		if n, err := strconv.Atoi(number); err == nil {
			f.NextTask = max(f.NextTask, n+1)
		}
		f.Open.Subagents = append(f.Open.Subagents, OpenSubagent{SubagentStarted: e})
	case event.VerificationStarted:
		f.verifies(e.Task, e.Attempt)
	case event.VerificationEnded:
		f.verifies(e.Task, 0)
	case event.Sampled:
		f.spend(e.Usage, e.Cost)
	case event.SubagentEnded:
		f.spend(e.Usage, e.Cost)
		f.Open.Subagents = slices.DeleteFunc(f.Open.Subagents, func(o OpenSubagent) bool { return o.Task == e.Task })
	}
}

func (f *Fold) verifies(task string, attempt int) {
	for i := range f.Open.Subagents {
		if f.Open.Subagents[i].Task == task {
			f.Open.Subagents[i].Attempt = attempt
		}
	}
}

func (f *Fold) openCall(id event.CallID, c OpenCall) {
	if f.Open.Calls == nil {
		f.Open.Calls = map[event.CallID]OpenCall{}
	}
	f.Open.Calls[id] = c
}

func (f *Fold) endCall(e event.ToolEnded) {
	name := f.Open.Calls[e.Call].Name
	delete(f.Open.Calls, e.Call)
	result := model.Result{CallID: string(e.Call), Text: e.Output, Images: e.Images, IsError: e.Outcome != event.Succeeded}
	f.grow(ResultBytes(result))
	if !f.Incomplete {
		f.Results[e.Call] = result
	}
	f.State.Results = len(f.Results)
	if e.Outcome != event.Succeeded && e.Outcome != event.Failed { // a hook can fail a call that has changed files
		return
	}
	for _, c := range e.Changes {
		others := without(f.ChangedFiles, c.Path)
		f.ChangedFiles = append(slices.Clone(others[max(0, len(others)-MaxCarriedFiles+1):]), c.Path)
		m := event.Mutation{Tool: name, Path: c.Path}
		if !slices.Contains(f.Open.Mutations, m) {
			f.Open.Mutations = append(f.Open.Mutations, m)
		}
	}
}

func (f *Fold) spend(u model.Usage, cost float64) {
	f.State.Usage, f.State.Cost = f.State.Usage.Add(u), f.State.Cost+cost
	f.Open.Usage, f.Open.Cost = f.Open.Usage.Add(u), f.Open.Cost+cost
}

func (f *Fold) add(seq uint64, m model.Message) { f.addEntry(Entry{Seq: seq, Message: m}) }

func (f *Fold) addEntry(e Entry) {
	m := e.Message
	if !f.Incomplete {
		f.Entries = append(f.Entries, e)
		f.State.Messages = len(f.Entries)
	}
	for _, call := range m.Calls() {
		f.callIDs[event.CallID(call.ID)] = true
	}
	if m.Role == model.User {
		f.grow(MessageBytes(m))
	} else {
		f.Bytes += MessageBytes(m) // its tokens are measured, or come with its usage
	}
}

func (f *Fold) grow(bytes int) {
	f.Bytes += bytes
	f.BytesSince += bytes
}

// Head returns the node that the history ends in; 0 if it is empty.
func (f *Fold) Head() uint64 { return f.tree.head }

// Missing returns how many messages of the history are not among entries.
func (f *Fold) Missing(entries []Entry) int {
	there := map[uint64]bool{}
	for _, e := range entries {
		there[e.Seq] = true
	}
	n := 0
	for _, e := range f.Entries {
		if !there[e.Seq] {
			n++
		}
	}
	return n
}

// setEntries replaces the history and forgets the results of calls that left it.
func (f *Fold) setEntries(entries []Entry) {
	results := map[event.CallID]model.Result{}
	for _, e := range entries {
		for _, call := range e.Message.Calls() {
			id := event.CallID(call.ID)
			if r, ok := f.Results[id]; ok {
				results[id] = r
			}
		}
	}
	f.Entries, f.Results, f.Measured, f.Bytes = entries, results, 0, 0
	for _, e := range entries {
		f.Bytes += f.EntryBytes(e)
	}
	f.State.Messages, f.State.Results = len(entries), len(results)
}

func without[T comparable](list []T, item T) []T {
	return slices.DeleteFunc(list, func(x T) bool { return x == item })
}
