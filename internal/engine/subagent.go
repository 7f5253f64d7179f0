package engine

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/subagent/verify"
	"parley.dev/parley/internal/tool"
)

// This file handles sessions that work for a tool call. They are driven from outside, by
// the exported methods of Session.

// What dialects say of subagents.
type (
	TaskSettings   = tool.TaskSettings
	VerifySettings = verify.Settings
)

// Our own names of tools that are about subagents, or hold for what they do.
const (
	taskTool   = "task"
	submitTool = "submit"
	shellTool  = "shell"
)

// maxReminders is how often a subagent is reminded to submit its result.
const maxReminders = 3

// subagents is those of one call.
type subagents struct {
	t    *turn
	call event.CallID

	mu     lock.Mutex
	begun  bool
	stop   func()             // of the call's clock
	budget *Budget            // of the call; nil: there is no limit
	parts  map[string]*Budget // of it, for each task
}

func (a *subagents) Call() event.CallID { return a.call }

// Record drops what comes when the turn has ended without its call: all that was open in it
// is closed then.
func (a *subagents) Record(e event.Event) {
	s := a.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.slot == a.t.slot {
		s.log.Append(a.t.id, e)
	}
}

func (a *subagents) Show(e event.TasksProgressed) { a.t.show(e) }

func (a *subagents) Reserve(n int) int {
	s := a.t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	first := max(s.tasks.reserved, s.fold.NextTask)
	s.tasks.reserved = first + n
	return first
}

func (a *subagents) Folder() string {
	s := a.t.s
	if o := s.opts.Tasks; o != nil && o.Folder != nil {
		if dir := o.Folder(s.State().Settings); dir != "" {
			return dir
		}
	}
	if at := s.host.Location(s.id); at != "" {
		return filepath.Join(at, "tasks")
	}
	return ""
}

// Run runs a session of its own and closes it. Lists show it with what is archived: it
// is not to be continued.
func (a *subagents) Run(ctx context.Context, w tool.SubagentTask) tool.SubagentResult {
	if err := a.part(w.Task).Err(); err != nil {
		return a.refused(w.Task, err)
	}
	s := a.t.s
	settings := s.State().Settings
	settings.Name, settings.Dir, settings.Archived, settings.Options = w.Name, "", true, nil
	settings.Backend, settings.Model = "", cmp.Or(s.firstModel(w.Models), a.t.model)
	if w.Backend != "" {
		if err := s.host.checkBackend(w.Backend); err != nil {
			return tool.SubagentResult{Error: err.Error()}
		}
		settings.Backend, settings.Model = w.Backend, backendModel(w)
		w.Prompt, w.Instructions = strings.TrimSpace(w.Instructions+"\n\n"+w.Prompt), ""
	}
	settings.Thinking = cmp.Or(w.Thinking, a.t.thinking)
	child, err := s.host.Create(ctx, NewSession{Workspace: w.Dir, Settings: settings, Parent: s.id}, a.options(w))
	if err != nil {
		return tool.SubagentResult{Error: err.Error()}
	}
	defer func() {
		if w.Dir != s.State().Dir() {
			child.endServers() // it worked in a copy
		}
		if err := child.end(context.WithoutCancel(ctx), EndedByAll); err != nil {
			s.host.cfg.Log.Error("subagent not saved", "session", child.id, "error", err)
		}
	}()
	if err := w.Began(child.id, settings.Model, a.start); err != nil {
		return a.refused(w.Task, err)
	}
	defer a.watchBudget()()
	client := child.Attach(ClientInfo{})
	defer client.Detach()
	run := supervised{subagents: a, task: w, child: child, client: client, input: map[event.CallID]event.ToolIntended{}, pending: map[string]context.CancelFunc{}}
	run.prompt(ctx, w.Prompt)
	problem := run.extract()
	for n := 0; n < maxReminders && run.unhanded() && w.Reminder != ""; n++ {
		run.prompt(ctx, strings.TrimSpace(problem+"\n\n"+w.Reminder))
		problem = run.extract()
	}
	st := child.State()
	run.worked.Usage, run.worked.Cost = st.Usage, st.Cost
	return run.worked
}

// backendModel returns the model of a subagent on a back end, as Settings.Model has it; "": the agent's default.
func backendModel(w tool.SubagentTask) string {
	if len(w.Models) == 0 {
		return ""
	}
	return w.Backend + "/" + strings.TrimPrefix(w.Models[0], w.Backend+"/")
}

// checkBackend returns why there is no back end of that name.
func (h *Host) checkBackend(name string) error {
	if h.cfg.Backends == nil {
		return errNoBackends
	}
	_, err := h.cfg.Backends(name)
	return err
}

var errNoBackends = errors.New("no back ends are configured")

// firstModel returns the first that can be called; "": none can. The agents of back ends do not have the tools of subagents.
func (s *Session) firstModel(names []string) string {
	for _, name := range names {
		if s.host.cfg.BackendOf(name) == "" && s.host.CheckModel(name) == nil {
			return name
		}
	}
	return ""
}

// options returns the session's own options, with what the work leaves of its tools.
func (a *subagents) options(w tool.SubagentTask) Options {
	a.t.s.mu.Lock()
	o := a.t.s.opts
	o.Roots = a.t.s.work.roots
	o.servers, o.refusals = a.t.s.tools.servers, a.t.s.clients.refusals
	a.t.s.mu.Unlock()
	o.files = nil
	if w.Dir == a.t.env.Workspace.Dir() { // the client has no copy of the folder
		o.files = a.t.s.clientFiles
	}
	o.Budget = a.part(w.Task)
	o.SecondPrompt, o.Dir = RefuseSecond, ""
	o.work = Work{Session: a.t.s.id, Turn: a.t.id, Call: a.call, Agent: w.Agent}
	o.Tasks, o.inner, o.submit, o.known = w.Tasks, true, w.Submit, w.Known
	o.restricted = w.Tools != nil
	o.Plugins = subagentPlugins(o.Plugins, w.Name)
	o.Instructions = strings.TrimSpace(o.Instructions + "\n\n" + w.Instructions)
	allowed := []Binding{}
	for _, b := range o.Toolset {
		if a.t.s.tools.leftBy(b.Name) != "" {
			continue // the mode is the session's
		}
		if b.Tool == taskTool && w.Tasks != nil || b.Tool != taskTool && (w.Tools == nil || slices.ContainsFunc(w.Tools, b.named)) {
			allowed = append(allowed, b)
		}
	}
	if w.SubmitTool != "" {
		allowed = append(allowed, Binding{Name: w.SubmitTool, Tool: submitTool})
	}
	o.Toolset = allowed
	return o
}

// named reports whether the tool has that name, here or as ours.
func (b Binding) named(name string) bool {
	return strings.EqualFold(b.Name, name) || strings.EqualFold(b.Tool, name)
}

// supervised is a subagent that works. One goroutine reads its records; there is one more
// for each thing that it waits for a user for.
type supervised struct {
	*subagents
	task    tool.SubagentTask
	child   *Session
	client  *Client // of child
	worked  tool.SubagentResult
	input   map[event.CallID]event.ToolIntended // of the calls that run
	pending map[string]context.CancelFunc       // withdraws what the user is asked
}

// unhanded reports whether it came to its end without handing its result in.
func (r *supervised) unhanded() bool {
	return r.worked.Reason == event.TurnCompleted && r.worked.Submitted == nil
}

// extract submits the result that the last answer has in itself, and returns what is wrong with that; "": nothing is, or the subagent
// has a tool for it.
func (r *supervised) extract() (problem string) {
	if r.task.Extract == nil || !r.unhanded() {
		return ""
	}
	input, err := r.task.Extract(r.worked.Output)
	if err == nil {
		err = r.task.Submit(input)
	}
	if err != nil {
		return err.Error()
	}
	r.worked.Submitted = input
	return ""
}

// prompt runs one turn to its end.
func (r *supervised) prompt(ctx context.Context, text string) {
	following, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	records := r.child.Log().Follow(following, r.child.head()+1, event.KindSubagentRecorded)
	if _, err := r.client.Prompt(ctx, Prompt{Blocks: []model.Block{model.TextBlock(text)}, Tuning: Tuning{ReadOnly: r.t.tuning.ReadOnly}}); err != nil {
		r.worked.Reason, r.worked.Error = event.TurnFailed, err.Error()
		if errors.Is(err, ErrBudget) {
			r.worked.Reason = event.TurnBudget
		}
		stop()
		for _, err := range records { // lets go of them
			if err != nil {
				break
			}
		}
		return
	}
	defer context.AfterFunc(ctx, r.client.Interrupt)()
	asking, withdraw := context.WithCancel(ctx)
	var requests sync.WaitGroup
	defer requests.Wait()
	defer withdraw()
	for rec, err := range records {
		if err != nil {
			r.worked.Reason, r.worked.Error = event.TurnFailed, err.Error()
			return
		}
		r.watch(rec)
		r.see(asking, &requests, rec.Event)
		if end, ok := rec.Event.(event.TurnEnded); ok {
			r.ended(end)
			return
		}
	}
	r.worked.Reason = event.TurnInterrupted // it was closed
}

// watch passes a record on to the call, and to the followers of the session.
func (r *supervised) watch(rec event.Record) {
	if rec.Seq != 0 {
		r.task.Watch(rec)
	}
	rec.Form = nil
	r.t.show(event.SubagentRecorded{
		Call: r.call, Task: r.task.Task, Name: r.task.Name, Agent: r.task.Agent, Session: r.child.id, Dir: r.task.Dir, Record: rec,
	})
}

func (r *supervised) ended(e event.TurnEnded) {
	r.worked.Reason = e.Reason
	switch {
	case e.Failure != nil:
		r.worked.Error = e.Failure.Message
	case e.Reason == event.TurnInterrupted:
		r.worked.Error = "The subagent was interrupted."
	case e.Reason != event.TurnCompleted:
		r.worked.Error = "The subagent stopped before its end: " + string(e.Reason) + "."
	}
}

// see keeps what the work comes to, and passes on what the user is asked.
func (r *supervised) see(ctx context.Context, requests *sync.WaitGroup, e event.Event) {
	switch e := e.(type) {
	case event.AssistantMessage:
		if text := (model.Message{Blocks: e.Blocks}).Text(); text != "" {
			r.worked.Output = text
		}
	case event.ToolIntended:
		r.input[e.Call] = e
	case event.ToolEnded:
		if call := r.input[e.Call]; call.Tool == submitTool && e.Outcome == event.Succeeded {
			r.worked.Submitted = call.Input
		}
		delete(r.input, e.Call)
	case event.ApprovalAsked:
		ctx, withdraw := context.WithCancel(ctx)
		r.pending["approval "+string(e.ID)] = withdraw
		confined := r.child.isConfined(e.ID)
		requests.Go(func() {
			_ = r.client.Answer(e.ID, r.t.passOn(ctx, r.call, e, confined)) // one that was withdrawn has its end
		})
	case event.ApprovalAnswered:
		r.settled("approval " + string(e.ID))
	case event.QuestionAsked:
		ctx, withdraw := context.WithCancel(ctx)
		r.pending["question "+string(e.ID)] = withdraw
		requests.Go(func() {
			answers, err := r.t.question(ctx, r.call, e.Questions)
			if err != nil {
				_ = r.client.RefuseQuestion(e.ID, err.Error())
				return
			}
			_ = r.client.AnswerQuestion(e.ID, answers)
		})
	case event.QuestionAnswered:
		r.settled("question " + string(e.ID))
	case event.BudgetWarned, event.BudgetExceeded:
		r.Record(e)
	}
}

func (r *supervised) settled(id string) {
	if withdraw := r.pending[id]; withdraw != nil {
		withdraw()
		delete(r.pending, id)
	}
}

// passOn passes the approval of a subagent's call on to the user, unless something that they said
// before settles it. Confined: it is about a command that runs in the sandbox already.
func (t *turn) passOn(ctx context.Context, call event.CallID, e event.ApprovalAsked, confined bool) Decision {
	s := t.s
	s.mu.Lock()
	if s.clients.grants.Covers(e.Request) {
		s.mu.Unlock()
		return Decision{Allow: true, granted: true}
	}
	if text, refused := s.clients.refusals.find(refusal{request: e.Request, input: e.Input, confined: confined}); refused {
		s.mu.Unlock()
		return Decision{Reason: text}
	}
	if ctx.Err() != nil {
		s.mu.Unlock()
		return Decision{Reason: s.withdrawal(ctx).reason}
	}
	e.Call = call
	id, wait := t.requestApproval(e)
	if pending := s.clients.approvals[id]; pending != nil {
		pending.passedOn, pending.confined = true, confined
	}
	s.mu.Unlock()
	a := t.awaitApproval(ctx, id, wait)
	return Decision{Allow: a.allowed, Broken: a.by == event.ByFault, Reason: a.reason}
}
