package native

import (
	"reflect"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/schema"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
)

// This file lists for the schema what no Go type says: notifications, words and names. Methods have their params and results
// in methods.go; every struct that a method, a record or another struct refers to gets a definition by itself.

// A call is a method with its params and its result.
type call struct {
	method         string
	params, result schema.Type
}

// calls returns the requests, in the order of methods.
func calls() []call {
	var all []call
	for _, m := range methods() {
		c := call{m.name, schema.Named(m.params), schema.Named(m.result)}
		if m.params == reflect.TypeFor[Empty]() {
			c.params = schema.As[Empty]("NoParams")
		}
		all = append(all, c)
	}
	return all
}

// A note is a notification of the host and its params.
type note struct {
	method string
	params schema.Type
}

var notes = lazy.Value[[]note]{New: func() []note {
	return []note{
		{"record", schema.Of[RecordNote]()},
		{"session/closed", schema.Of[SessionClosed]()},
		{"host/session", schema.Of[HostSession]()},
		{"host/closing", schema.Of[HostClosing]()},
		{"client/joined", schema.Of[ClientNote]()},
		{"client/left", schema.Of[ClientNote]()},
	}
}}

// wordTypes are the types of texts of which only some are allowed.
var wordTypes = lazy.Value[map[schema.Type][]string]{New: func() map[schema.Type][]string {
	return map[schema.Type][]string{
		schema.Of[Role]():                     schema.Words(roles...),
		schema.Of[approval.Subject]():         schema.Words(approval.SubjectSandbox, approval.SubjectNetwork, approval.SubjectServer, approval.SubjectHook),
		schema.Of[approval.Asking]():          schema.Words(approval.AskNever, approval.AskOnRequest, approval.AskUnlessTrusted, approval.AskAlways),
		schema.Of[approval.SandboxKind]():     schema.Words(approval.SandboxReadOnly, approval.SandboxWorkspace, approval.SandboxExternal, approval.SandboxNone),
		schema.Of[approval.Level]():           {approval.Read.String(), approval.Write.String(), approval.Execute.String(), approval.Admin.String()},
		schema.Of[approval.TargetKind]():      schema.Words(approval.TargetPath, approval.TargetDomain, approval.TargetCommand, approval.TargetTool, approval.TargetFile, approval.TargetLine, approval.TargetURL, approval.TargetCall),
		schema.Of[approval.Scope]():           schema.Words(approval.Once, approval.Session, approval.Always),
		schema.Of[model.Thinking]():           schema.Words(append([]model.Thinking{model.Off}, model.Levels()...)...),
		schema.Of[model.BlockKind]():          schema.Words(model.KindText, model.KindThinking, model.KindImage, model.KindToolCall, model.KindToolResult),
		schema.Of[model.Stop]():               schema.Words(model.StopEnd, model.StopTools, model.StopTokens, model.StopSequence, model.StopRefused),
		schema.Of[event.Status]():             schema.Words(event.Idle, event.Thinking, event.Working, event.Waiting, event.Compacting),
		schema.Of[event.TurnReason]():         schema.Words(event.TurnCompleted, event.TurnInterrupted, event.TurnStepLimit, event.TurnMaxTokens, event.TurnBudget, event.TurnRefused, event.TurnFailed),
		schema.Of[event.Via]():                schema.Words(event.ByPrompt, event.BySteer, event.ByFollowUp, event.ByEngine),
		schema.Of[event.NoteTopic]():          schema.Words(event.NotePermissions, event.NoteInstructions, event.NoteLoop, event.NoteBackground, event.NoteServerPrompt, event.NoteChanges),
		schema.Of[event.Outcome]():            schema.Words(event.Succeeded, event.Failed, event.Denied, event.Interrupted, event.OutcomeUnknown),
		schema.Of[event.FileOp]():             schema.Words(event.Created, event.Updated, event.Deleted),
		schema.Of[event.Answerer]():           schema.Words(event.ByClient, event.ByPolicy, event.ByInterrupt, event.ByAbsence, event.ByRecovery, event.ByFault),
		schema.Of[event.PlanStatus]():         schema.Words(event.Pending, event.InProgress, event.Completed, event.Abandoned),
		schema.Of[event.NoticeLevel]():        schema.Words(event.Info, event.Warning, event.Error),
		schema.Of[event.CompactReason]():      schema.Words(event.CompactAsked, event.CompactThreshold, event.CompactOverflow),
		schema.Of[event.HookMoment]():         schema.Words(event.BeforeTool, event.AfterTool, event.AtTurnEnd, event.AtPrompt, event.AtSessionStart, event.AtSessionEnd, event.BeforeCompact, event.AtPermission),
		schema.Of[event.HookDecision]():       schema.Words(event.HookAllowed, event.HookDenied, event.HookContinued),
		schema.Of[event.BudgetScope]():        schema.Words(event.BudgetOfSession, event.BudgetOfTask, event.BudgetOfSubagent),
		schema.Of[event.BudgetStatus]():       schema.Words(event.BudgetFine, event.BudgetNear, event.BudgetUsedUp),
		schema.Of[event.BudgetReason]():       schema.Words(event.BudgetWallTime, event.BudgetInputTokens, event.BudgetOutputTokens, event.BudgetTotalTokens, event.BudgetCost, event.BudgetToolCalls, event.BudgetSubagents),
		schema.Of[event.ServerStatus]():       schema.Words(event.ServerStarting, event.ServerReady, event.ServerFailed),
		schema.Of[event.VerificationStatus](): schema.Words(event.VerificationPassed, event.VerificationFailed, event.VerificationSkipped, event.VerificationRetriedPassed),
		schema.Of[event.TaskStatus]():         schema.Words(event.TaskPending, event.TaskRunning, event.TaskCompleted, event.TaskFailed, event.TaskAborted),
	}
}}

// transient is the opposite of [event.Kind.Durable].
func transient(kind event.Kind) bool { return !kind.Durable() }

// kindsThat returns the kinds of records that a test holds for.
func kindsThat(holds func(event.Kind) bool) (all []string) {
	for kind := range event.Kinds() {
		if holds(kind) {
			all = append(all, string(kind))
		}
	}
	return all
}

// renamed are the structs whose own name says too little among those of other packages.
var renamed = []schema.Type{
	schema.As[approval.Request]("ApprovalRequest"), schema.As[approval.Path]("ApprovalPath"),
	schema.As[model.Call]("ToolCall"), schema.As[model.Result]("ToolResult"),
}

// allTypes returns each struct of the protocol once.
func allTypes() []schema.Type {
	var all []schema.Type
	add := func(t schema.Type) {
		if !slices.Contains(all, t) {
			all = append(all, t)
		}
	}
	for _, c := range calls() {
		add(c.params)
		add(c.result)
	}
	for _, n := range notes.Get() {
		add(n.params)
	}
	for _, e := range event.Kinds() {
		add(schema.Named(reflect.TypeOf(e)))
	}
	add(schema.Of[ErrorData]())
	for i := 0; i < len(all); i++ { // it grows meanwhile
		for _, m := range schema.Members(all[i].Is) {
			if part, ok := structOf(m.Type); ok {
				add(part)
			}
		}
	}
	return all
}

// structOf returns the struct of this program that a member consists of, or lists.
func structOf(t reflect.Type) (schema.Type, bool) {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct || !strings.HasPrefix(t.PkgPath(), "parley.dev/") {
		return schema.Type{}, false
	}
	for _, r := range renamed {
		if r.Is == t {
			return r, true
		}
	}
	return schema.Named(t), true
}
