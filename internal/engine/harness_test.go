package engine

import (
	"context"
	"flag"
	"fmt"
	"iter"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
	"parley.dev/parley/internal/session"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

// outputCap is the size of the largest output that a line of a journal contains; see sessionlog.
const outputCap = 64 << 10

// deferred has the tests of memory stores use one that acknowledges records later than it accepts them.
var deferred = flag.Bool("deferred", false, "use a deferred store")

// needsDisk skips a test of a store that is not deferred: it has each Sync fail or wait, or reads the store at once.
func needsDisk(t *testing.T) {
	t.Helper()
	if *deferred {
		t.Skip("the store is deferred")
	}
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A script is a model that answers with one function after the other, and checks every
// request: each call in it has exactly one result, directly after.
type script struct {
	t       testing.TB
	mu      sync.Mutex
	answers []answerFunc
	asked   []model.Request
	info    model.Info // what is known of the model; the zero value: of the usual one

	pictures picture.Limits // of the endpoint

	afterCancel <-chan struct{} // a request that ends while the disk is waited for returns when it is closed; nil: at once
}

type answerFunc func(ctx context.Context, req *model.Request, yield func(model.Delta, error) bool)

func (s *script) Stream(ctx context.Context, req *model.Request) iter.Seq2[model.Delta, error] {
	checkPairs(s.t, req.Messages)
	return func(yield func(model.Delta, error) bool) {
		if err := req.Await(ctx); err != nil {
			if s.afterCancel != nil {
				<-s.afterCancel
			}
			yield(model.Delta{}, err)
			return
		}
		s.mu.Lock()
		n := len(s.asked)
		s.asked = append(s.asked, *req)
		s.mu.Unlock()
		if n >= len(s.answers) {
			yield(model.Delta{}, &model.Error{Kind: model.Rejected, Message: "the script has ended"})
			return
		}
		s.answers[n](ctx, req, yield)
	}
}

func (s *script) requests() []model.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func checkPairs(t testing.TB, messages []model.Message) {
	t.Helper()
	for i, m := range messages {
		calls := m.Calls()
		if len(calls) == 0 {
			continue
		}
		if i+1 == len(messages) || messages[i+1].Role != model.Tool || len(messages[i+1].Blocks) != len(calls) {
			t.Errorf("message %d has %d calls and no results of the same number after it", i, len(calls))
			return
		}
		for j, b := range messages[i+1].Blocks {
			if b.Result == nil || b.Result.CallID != calls[j].ID {
				t.Errorf("result %d of message %d is not of call %s", j, i, calls[j].ID)
			}
		}
	}
}

// say answers with text, in one delta a piece.
func say(pieces ...string) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		m := model.Message{Role: model.Assistant}
		whole := ""
		for _, p := range pieces {
			whole += p
			if !yield(model.Delta{Kind: model.TextDelta, Text: p}, nil) {
				return
			}
		}
		m.Blocks = []model.Block{model.TextBlock(whole)}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Stop: model.StopEnd, Usage: model.Usage{Input: 10, Output: 2}}}, nil)
	}
}

// call answers with tool calls, "name input" each.
func call(calls ...model.Call) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		m := model.Message{Role: model.Assistant}
		for i, c := range calls {
			m.Blocks = append(m.Blocks, model.Block{Kind: model.KindToolCall, Call: &c})
			if !yield(model.Delta{Kind: model.ToolCallStart, Block: i, CallID: c.ID, Name: c.Name}, nil) ||
				!yield(model.Delta{Kind: model.ToolInputDelta, Block: i, Text: string(c.Input)}, nil) {
				return
			}
		}
		yield(model.Delta{Kind: model.Done, Response: &model.Response{Message: m, Stop: model.StopTools, Usage: model.Usage{Input: 10, Output: 5}}}, nil)
	}
}

func fail(err error) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{}, err)
	}
}

// hang sends text, signals that it hangs, and waits for the end of its context.
func hang(text string, hanging chan<- struct{}) answerFunc {
	return func(ctx context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		if text != "" && !yield(model.Delta{Kind: model.TextDelta, Text: text}, nil) {
			return
		}
		close(hanging)
		<-ctx.Done()
		yield(model.Delta{}, context.Cause(ctx))
	}
}

func toolCall(id, name, input string) model.Call {
	return model.Call{ID: id, Name: name, Input: jsontext.Value(input)}
}

var scriptInfo = model.Info{ID: "test", Provider: "script", ContextWindow: 100_000, Price: model.Price{Input: 1, Output: 2}}

// Resolve makes a script the model of every name.
func (s *script) Resolve(name string) (Model, error) {
	if name == "none" {
		return Model{}, &model.Error{Kind: model.NotConfigured, Message: "no model"}
	}
	if s.info.ID != "" {
		return Model{Provider: s, Info: s.info, Pictures: s.pictures}, nil
	}
	return Model{Provider: s, Info: scriptInfo, Pictures: s.pictures}, nil
}

func (s *script) Default() string { return "test" }

func (s *script) Names() []string { return []string{"test"} }

func (s *script) Discover(context.Context) []Offer { return []Offer{{Name: "test"}} }

// A fakeTool does what its function says.
type fakeTool struct {
	name  string
	level approval.Level
	run   func(ctx context.Context, hooks tool.Hooks, input string) tool.Result
}

func (f fakeTool) Name() string        { return f.name }
func (f fakeTool) Description() string { return "A tool of the tests." }
func (f fakeTool) Schema() jsontext.Value {
	return jsontext.Value(`{"type":"object","additionalProperties":false,"properties":{"text":{"type":"string"}}}`)
}

func (f fakeTool) Prepare(_ *tool.Env, input jsontext.Value) (tool.Call, error) {
	return fakeCall{f, string(input)}, nil
}

type fakeCall struct {
	tool  fakeTool
	input string
}

func (c fakeCall) Request() approval.Request { return approval.Request{Level: c.tool.level} }
func (c fakeCall) Run(ctx context.Context, hooks tool.Hooks) tool.Result {
	return c.tool.run(ctx, hooks, c.input)
}

// lookTool answers "seen"; workTool has effects.
func lookTool() fakeTool {
	return fakeTool{"look", approval.Read, func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "seen"} }}
}

func workTool(run func(ctx context.Context, hooks tool.Hooks, input string) tool.Result) fakeTool {
	return fakeTool{"work", approval.Write, run}
}

// A bench is a host with a script, tools and a store of the tests.
type bench struct {
	*script
	store *memStore
	late  *lateStore // of store; nil: sessions are in store itself
	tools map[string]tool.Tool
	hex   int

	granted func(workspace string) []approval.Grant
	hooks   Hooks
	environ []string
	own     string // Config.UserInstructions
	days    int    // that have passed
	changes func(ctx context.Context, dir string) ([]string, error)
	agents  fakeBackends
	servers func(own []Server, dir string) []Server
}

func newBench(t testing.TB, tools []fakeTool, answers ...answerFunc) *bench {
	b := &bench{script: &script{t: t, answers: answers}, store: newMemStore(), tools: map[string]tool.Tool{}}
	for _, f := range tools {
		b.tools[f.name] = f
	}
	if *deferred {
		b.late = newLateStore(b.store)
	}
	return b
}

func (b *bench) host() *Host {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return NewHost(Config{
		Store: b.journals(), Models: b.script,
		Grants: grantsOf(b.granted), Hooks: b.hooks,
		Tools: func(name string) (tool.Tool, bool) { t, ok := b.tools[name]; return t, ok },
		Env: func(dir string) (*tool.Env, error) {
			w, err := workspace.Open(dir)
			return &tool.Env{Workspace: w, Environ: b.environ}, err
		},
		UserInstructions: b.own, Changes: b.changes, Backends: b.agents.find, BackendOf: b.agents.ownerOf, AgentLimits: b.agents.limitsOf, Servers: b.servers,
		Now: func() time.Time { return now.AddDate(0, 0, b.days) },
		Hex: func(n int) string { b.mu.Lock(); defer b.mu.Unlock(); b.hex++; return fmt.Sprintf("%0*x", 2*n, b.hex) },
	})
}

// journals returns the store of the sessions.
func (b *bench) journals() journal.Store {
	if b.late != nil {
		return b.late
	}
	return b.store
}

func (b *bench) options() Options {
	o := Defaults()
	o.Retry = retriesFrom(time.Millisecond)
	o.Compact = WindowShares{Keep: 0.2, Drop: 0.4}
	for name := range b.tools {
		o.Toolset = append(o.Toolset, Binding{Name: name, Tool: name})
	}
	slices.SortFunc(o.Toolset, func(a, b Binding) int { return len(a.Name) - len(b.Name) })
	return o
}

// retriesFrom returns the default retries with another first delay.
func retriesFrom(first time.Duration) Retries {
	r := DefaultRetries
	r.First = first
	return r
}

// discarding are retries that discard what followers have of a failed answer.
type discarding struct{ Retries }

func (d discarding) Retry(f FailedCall) (Retry, bool) {
	f.Shown = false
	r, ok := d.Retries.Retry(f)
	r.Discard = true
	return r, ok
}

// anyClient returns a client that can answer what those that are attached are asked.
func (s *Session) anyClient() *Client { return &Client{session: s, answers: true} }

// session returns a session in full access, unless edit says otherwise.
func (b *bench) session(t testing.TB, edit func(*Options, *event.Settings)) *Session {
	t.Helper()
	o, settings := b.options(), event.Settings{Model: "test", Mode: string(approval.FullAccess)}
	if edit != nil {
		edit(&o, &settings)
	}
	dir, err := os.MkdirTemp("", "engine-test-")
	if err != nil {
		t.Fatal(err)
	}
	s, err := b.host().Create(t.Context(), NewSession{Workspace: dir, Settings: settings}, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(context.Background()); err != nil {
			t.Error(err)
		}
		os.RemoveAll(dir)
	})
	return s
}

// turnOf starts a turn and returns its records, and the transient ones, to its end.
func turnOf(t testing.TB, s *Session, text string, see func(event.Record)) []event.Record {
	t.Helper()
	records := follow(t, s)
	if _, err := s.Prompt(t.Context(), Prompt{Text: text}); err != nil {
		t.Fatal(err)
	}
	return untilEnd(t, records, see)
}

func follow(t testing.TB, s *Session) iter.Seq2[event.Record, error] {
	return s.Log().Follow(t.Context(), s.State().Head+1, event.KindTextDelta, event.KindToolOutput, event.KindCommandOutput, event.KindRetryStarted, event.KindRetryEnded)
}

func untilEnd(t testing.TB, records iter.Seq2[event.Record, error], see func(event.Record)) (turn []event.Record) {
	t.Helper()
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		turn = append(turn, rec)
		if see != nil {
			see(rec)
		}
		if _, ok := rec.Event.(event.TurnEnded); ok {
			return turn
		}
	}
	t.Fatal("no turn end")
	return nil
}

// ended returns the end of a turn, after checking that everything in it is balanced.
func ended(t testing.TB, records []event.Record) event.TurnEnded {
	t.Helper()
	checkBalanced(t, records)
	end, ok := records[len(records)-1].Event.(event.TurnEnded)
	if !ok {
		t.Fatalf("the last record is %s", records[len(records)-1].Event.Kind())
	}
	return end
}

// checkBalanced checks rules 1 to 3: whatever is opened is closed, once, in order.
func checkBalanced(t testing.TB, records []event.Record) {
	t.Helper()
	open := map[string]bool{}
	start := func(id string) {
		if open[id] {
			t.Errorf("%s opened twice", id)
		}
		open[id] = true
	}
	end := func(id string) {
		if !open[id] {
			t.Errorf("%s closed without being open", id)
		}
		delete(open, id)
	}
	seq := uint64(0)
	for _, rec := range records {
		if rec.Seq != 0 {
			if seq != 0 && rec.Seq != seq+1 {
				t.Errorf("record %d follows %d", rec.Seq, seq)
			}
			seq = rec.Seq
		}
		switch e := rec.Event.(type) {
		case event.TurnStarted:
			start("turn " + string(rec.Turn))
		case event.TurnEnded:
			end("turn " + string(rec.Turn))
			if len(open) > 0 {
				t.Errorf("still open at the end of the turn: %v", open)
			}
		case event.StepStarted:
			start(fmt.Sprint("step ", e.Step))
		case event.StepEnded:
			end(fmt.Sprint("step ", e.Step))
		case event.SubagentStarted:
			start("subagent " + e.Task)
		case event.SubagentEnded:
			end("subagent " + e.Task)
		case event.ToolIntended:
			start("call " + string(e.Call))
		case event.ToolEnded:
			end("call " + string(e.Call))
		case event.ApprovalAsked:
			start("approval " + string(e.ID))
		case event.ApprovalAnswered:
			end("approval " + string(e.ID))
		case event.QuestionAsked:
			start("question " + string(e.ID))
		case event.QuestionAnswered:
			end("question " + string(e.ID))
		case event.RetryStarted:
			start("retry")
		case event.RetryEnded:
			end("retry")
		}
	}
}

func text(records []event.Record) (all string) {
	for _, rec := range records {
		if d, ok := rec.Event.(event.TextDelta); ok {
			all += d.Text
		}
	}
	return all
}

func find[E event.Event](records []event.Record) (found []E) {
	for _, rec := range records {
		if e, ok := rec.Event.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

type (
	modelRequest = model.Request
	yieldFunc    = func(model.Delta, error) bool
)

// checkResults checks the results, in messages to the model, of calls that a dead process left open:
// outcome unknown if they had begun, not run if they had not.
func checkResults(t testing.TB, n int, lines [][]byte, messages []model.Message) {
	t.Helper()
	begun, finished := map[string]bool{}, map[string]bool{}
	for _, line := range lines {
		var rec event.Record
		if err := rec.UnmarshalJSON(line); err != nil {
			t.Fatal(err)
		}
		switch e := rec.Event.(type) {
		case event.ToolStarted:
			begun[string(e.Call)] = true
		case event.ToolEnded:
			finished[string(e.Call)] = true
		}
	}
	for _, m := range messages {
		for _, b := range m.Blocks {
			if b.Result == nil || finished[b.Result.CallID] {
				continue
			}
			if unknown := b.Result.Text == session.OutcomeUnknown; unknown != begun[b.Result.CallID] {
				t.Errorf("after %d records the result of %s is %q", n, b.Result.CallID, b.Result.Text)
			}
		}
	}
}

func sayThenFail(text string, err error) answerFunc {
	return func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		if yield(model.Delta{Kind: model.TextDelta, Text: text}, nil) {
			yield(model.Delta{}, err)
		}
	}
}

// The verbs of a client, without one.

func (s *Session) one() *Client { return &Client{session: s} }

func (s *Session) Prompt(ctx context.Context, p Prompt) (event.TurnID, error) {
	return s.one().Prompt(ctx, p)
}

func (s *Session) Steer(ctx context.Context, p Prompt) error { return s.one().Steer(ctx, p) }

func (s *Session) FollowUp(ctx context.Context, p Prompt) error { return s.one().FollowUp(ctx, p) }

func (s *Session) Change(edit func(*event.Settings)) error { return s.one().Change(edit) }

func (s *Session) Override(edit func(*event.Settings)) error { return s.one().Override(edit) }

func (s *Session) Interrupt() { s.one().Interrupt() }
