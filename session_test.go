package parley_test

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"parley.dev/parley"
	"parley.dev/parley/client"
	"parley.dev/parley/internal/dialect/native"
	"parley.dev/parley/record"
)

// patience is how long anything may take that is waited for.
const patience = 60 * time.Second

// open opens a host of its own with a script; of o, Home, Isolated and Logger are set.
func open(t *testing.T, script string, o parley.Options) *parley.Host {
	t.Helper()
	if o.Home == "" {
		o.Home = filepath.Join(t.TempDir(), "state")
	}
	o.Isolated, o.Script, o.Logger = true, script, slog.New(slog.DiscardHandler)
	h, err := parley.Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { h.Close(context.Background()) })
	return h
}

// background returns a context for calls that must return.
func background(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// create makes a session in a new folder.
func create(t *testing.T, h *parley.Host) *parley.Session {
	t.Helper()
	s, err := h.Create(background(t), parley.NewSession{Workspace: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// prompt starts a turn.
func prompt(t *testing.T, s *parley.Session, text string) (turn string) {
	t.Helper()
	turn, err := s.Prompt(background(t), parley.Prompt{Text: text})
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

// until follows a session up to an event for which ok returns true, and returns all.
func until(t *testing.T, s *parley.Session, o parley.FollowOptions, ok func(record.Event) bool) (all []record.Event) {
	t.Helper()
	for rec, err := range s.Follow(background(t), o) {
		if err != nil {
			t.Fatalf("after %d records: %v", len(all), err)
		}
		e, err := rec.Event()
		if err != nil {
			t.Fatal(err)
		}
		if all = append(all, e); ok(e) {
			return all
		}
	}
	t.Fatalf("the session ended after %d records", len(all))
	return nil
}

// kind returns a function that reports whether an event is of a kind.
func kind(name string) func(record.Event) bool {
	return func(e record.Event) bool { return e.Kind() == name }
}

// events returns those of one type.
func events[E record.Event](all []record.Event) (found []E) {
	for _, e := range all {
		if e, ok := e.(E); ok {
			found = append(found, e)
		}
	}
	return found
}

// TestPrompt: a repeat does nothing, a second prompt does what IfBusy says, and what cannot be accepted is an error that says
// why.
func TestPrompt(t *testing.T) {
	h := open(t, "hang\nnext\ntext Second.\nnext\ntext Third.\n", parley.Options{})
	s, ctx := create(t, h), background(t)
	if err := s.Steer(ctx, parley.Prompt{Text: "x"}); !errors.Is(err, parley.ErrIdle) {
		t.Errorf("a steer of an idle session: %v", err)
	}
	p := parley.Prompt{ID: "p-1", Text: "Go."}
	turn, err := s.Prompt(ctx, p)
	if err != nil || turn == "" {
		t.Fatalf("%q, %v", turn, err)
	}
	if again, err := s.Prompt(ctx, p); again != turn || err != nil {
		t.Errorf("the repeat: %q, %v, want %q", again, err, turn)
	}
	for _, test := range []struct {
		prompt parley.Prompt
		want   string
	}{
		{parley.Prompt{}, "the prompt is empty"},
		{parley.Prompt{Text: "x", IfBusy: "wait"}, `Prompt.IfBusy "wait" is neither steer nor queue`},
		{parley.Prompt{Images: []record.Image{{MIME: "image/bmp"}}}, `Prompt.Images[0].MIME "image/bmp" is none of`},
		{parley.Prompt{Images: []record.Image{{MIME: "image/png"}}}, "Prompt.Images[0].Data is empty"},
		{parley.Prompt{Text: "x"}, "a turn is already running"},
	} {
		if _, err := s.Prompt(ctx, test.prompt); err == nil || !strings.HasPrefix(err.Error(), test.want) {
			t.Errorf("%+v: %v, want %s", test.prompt, err, test.want)
		}
	}
	if _, err := s.Prompt(ctx, parley.Prompt{Text: "x"}); !errors.Is(err, parley.ErrBusy) {
		t.Errorf("a second prompt: %v", err)
	}
	if steered, err := s.Prompt(ctx, parley.Prompt{Text: "more", IfBusy: parley.Steer}); steered != turn || err != nil {
		t.Errorf("a steer: %q, %v", steered, err)
	}
	if queued, err := s.Prompt(ctx, parley.Prompt{Text: "later", IfBusy: parley.Queue}); queued != "" || err != nil {
		t.Errorf("a queued prompt: %q, %v", queued, err)
	}
	// The steer waits, or the turn has taken it into its first request.
	if st, err := s.State(ctx); err != nil || !st.Busy || st.Turn != turn || len(st.Steering)+st.Messages != 2 || len(st.FollowUps) != 1 || st.FollowUps[0].Blocks[0].Text != "later" {
		t.Errorf("%+v, %v", st, err)
	}
	if done, err := s.Interrupt(ctx, "another"); done || err != nil {
		t.Errorf("an interrupt of another turn: %v, %v", done, err)
	}
	if done, err := s.Interrupt(ctx, turn); !done || err != nil {
		t.Errorf("the interrupt: %v, %v", done, err)
	}
	all := until(t, s, parley.FollowOptions{}, kind(record.KindTurnEnded))
	if ended := events[record.TurnEnded](all)[0]; ended.Reason != record.TurnInterrupted || ended.Client.Name != "go" {
		t.Errorf("%+v", ended)
	}
}

// TestRun: the answer is that of the prompt's own turn, also of a queued one and of a repeat; a turn that fails is a TurnError,
// and the end of the context interrupts.
func TestRun(t *testing.T) {
	h := open(t, "text One.\nnext\nfail rejected status=400 no such thing\nnext\ntext Half\nhang\nnext\ntext Four.\n", parley.Options{})
	s, ctx := create(t, h), background(t)
	first, err := s.Run(ctx, parley.Prompt{ID: "p-1", Text: "Go."})
	if err != nil || first.Text != "One." || first.Ended.Reason != record.TurnCompleted || first.Turn == "" {
		t.Errorf("%+v, %v", first, err)
	}
	if again, err := s.Run(ctx, parley.Prompt{ID: "p-1", Text: "Go."}); err != nil || !reflect.DeepEqual(again, first) {
		t.Errorf("the repeat: %+v, %v", again, err)
	}
	_, err = s.Run(ctx, parley.Prompt{Text: "Go."})
	if failed, ok := errors.AsType[*parley.TurnError](err); !ok || failed.Ended.Failure == nil || !strings.Contains(err.Error(), "turn failed: ") || !strings.Contains(err.Error(), "no such thing") {
		t.Errorf("a failed turn: %v", err)
	}
	short, cancel := context.WithCancelCause(ctx)
	why := errors.New("enough")
	records := s.Follow(ctx, parley.FollowOptions{From: state(t, s).Head + 1, Transient: []string{record.KindTextDelta}})
	go func() {
		for rec := range records {
			if rec.Kind == record.KindTextDelta { // the model has taken this answer of the script
				cancel(why)
				return
			}
		}
	}()
	if _, err := s.Run(short, parley.Prompt{Text: "Go."}); !errors.Is(err, why) {
		t.Errorf("a context that ended: %v", err)
	}
	queued, err := s.Run(ctx, parley.Prompt{Text: "Go.", IfBusy: parley.Queue})
	if err != nil || queued.Text != "Four." {
		t.Errorf("a prompt that may have waited: %+v, %v", queued, err)
	}
}

func state(t *testing.T, s *parley.Session) record.State {
	t.Helper()
	st, err := s.State(background(t))
	if err != nil {
		t.Fatal(err)
	}
	return st
}

// TestFollow: records from a number on, and what cannot be followed.
func TestFollow(t *testing.T) {
	h := open(t, "text One.\n", parley.Options{})
	s, ctx := create(t, h), background(t)
	if _, err := s.Run(ctx, parley.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	var numbers []uint64
	for rec, err := range s.Follow(ctx, parley.FollowOptions{From: 3}) {
		if err != nil {
			t.Fatal(err)
		}
		if numbers = append(numbers, rec.Seq); rec.Kind == record.KindTurnEnded {
			break
		}
	}
	if last := state(t, s).Head; numbers[0] != 3 || numbers[len(numbers)-1] != last || uint64(len(numbers)) != last-2 {
		t.Errorf("%v of %d", numbers, last)
	}
	for want, o := range map[string]parley.FollowOptions{
		"FollowOptions.From 100 is after the next record": {From: 100},
		`"turn_ended" is not a kind of transient records`: {Transient: []string{"turn_ended"}},
		`"none" is not a kind of transient records`:       {Transient: []string{"none"}},
	} {
		n := 0
		for _, err := range s.Follow(ctx, o) {
			if n++; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%v, want %s", err, want)
			}
		}
		if n != 1 {
			t.Errorf("%d results for %+v", n, o)
		}
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	for _, err := range s.Follow(ended, parley.FollowOptions{From: state(t, s).Head + 1}) {
		if !errors.Is(err, context.Canceled) {
			t.Errorf("a context that ended: %v", err)
		}
	}
}

// TestChange: what edit changes holds, and settings that cannot be are refused.
func TestChange(t *testing.T) {
	h := open(t, "text One.\n", parley.Options{Mode: parley.ReadOnly})
	s, ctx := create(t, h), background(t)
	if err := s.Change(ctx, func(now *record.Settings) { now.Name, now.Mode = "Tidy", string(parley.Plan) }); err != nil {
		t.Fatal(err)
	}
	if now := state(t, s).Settings; now.Name != "Tidy" || now.Mode != "plan" {
		t.Errorf("%+v", now)
	}
	for want, edit := range map[string]func(*record.Settings){
		`unknown permission mode "fast"`: func(now *record.Settings) { now.Mode = "fast" },
		"Settings.Dir must be absolute":  func(now *record.Settings) { now.Dir = "shop" },
		"no offline model":               func(now *record.Settings) { now.Model = "offline/none" },
	} {
		err := s.Change(ctx, edit)
		if err == nil || !strings.Contains(err.Error(), want) || errors.Is(err, parley.ErrNoModel) != strings.Contains(want, "model") {
			if !strings.Contains(want, "permission") || err == nil {
				t.Errorf("%v, want %s", err, want)
			}
		}
	}
}

// TestSessions: sessions are listed, opened by id, which is one session for all callers, and removed.
func TestSessions(t *testing.T) {
	h := open(t, "text One.\nnext\ntext Two.\n", parley.Options{})
	ctx, dir := background(t), t.TempDir()
	s, err := h.Create(ctx, parley.NewSession{Workspace: dir, ID: "one", Name: "First"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := h.Create(ctx, parley.NewSession{Workspace: dir, ID: "one"}); !errors.Is(err, parley.ErrExists) {
		t.Errorf("the same id: %v", err)
	}
	if _, err := s.Run(ctx, parley.Prompt{Text: "Count."}); err != nil {
		t.Fatal(err)
	}
	if same, err := h.Open(ctx, "one"); same != s || err != nil {
		t.Errorf("the open session: %p, %v, want %p", same, err, s)
	}
	page, next, err := h.List(ctx, parley.Query{Search: "count"})
	if err != nil || next != "" || len(page) != 1 || page[0].ID != "one" || page[0].Name != "First" || page[0].Title != "Count." || !page[0].Open || page[0].Turns != 1 || page[0].Status != record.StatusIdle {
		t.Errorf("%+v, %q, %v", page, next, err)
	}
	if err := s.Close(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Prompt(ctx, parley.Prompt{Text: "Go."}); !errors.Is(err, parley.ErrClosed) {
		t.Errorf("a prompt after Close: %v", err)
	}
	again, err := h.Open(ctx, "one")
	if err != nil || again == s {
		t.Fatalf("opened again: %v", err)
	}
	if answer, err := again.Run(ctx, parley.Prompt{Text: "Go."}); err != nil || answer.Text != "Two." {
		t.Errorf("%+v, %v", answer, err)
	}
	if err := h.Remove(ctx, "one"); err != nil {
		t.Error(err)
	}
	if _, err := h.Open(ctx, "one"); !errors.Is(err, parley.ErrNoSession) {
		t.Errorf("a removed session: %v", err)
	}
	if err := h.Close(ctx); err != nil {
		t.Error(err)
	}
	if _, err := h.Create(ctx, parley.NewSession{Workspace: dir}); !errors.Is(err, parley.ErrClosed) {
		t.Errorf("a closed host: %v", err)
	}
}

// TestTwoHosts: of two hosts with one state folder, one works on a session at a time: the other is refused until the turn has
// ended, and continues then with what the first has written.
func TestTwoHosts(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	a := open(t, "hang\nnext\ntext Third.\n", parley.Options{Home: home})
	b := open(t, "text Second.\n", parley.Options{Home: home})
	s, ctx := create(t, a), background(t)
	turn := prompt(t, s, "Go.")
	if _, err := b.Open(ctx, s.ID()); !errors.Is(err, parley.ErrInUse) || !strings.Contains(err.Error(), s.ID()) {
		t.Errorf("opened while a turn runs elsewhere: %v", err)
	}
	if err := b.Remove(ctx, s.ID()); !errors.Is(err, parley.ErrInUse) {
		t.Errorf("removed while a turn runs elsewhere: %v", err)
	}
	if _, err := s.Interrupt(ctx, turn); err != nil {
		t.Fatal(err)
	}
	if err := s.Wait(ctx); err != nil {
		t.Fatal(err)
	}
	other, err := b.Open(ctx, s.ID())
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := other.Run(ctx, parley.Prompt{Text: "Go on."}); err != nil || answer.Text != "Second." {
		t.Errorf("%+v, %v", answer, err)
	}
	if answer, err := s.Run(ctx, parley.Prompt{Text: "And you?"}); err != nil || answer.Text != "Third." {
		t.Errorf("%+v, %v", answer, err)
	}
	if st := state(t, s); st.Turns != 3 {
		t.Errorf("%d turns", st.Turns)
	}
}

// TestUnavailable: a journal that cannot be read, for a reason that is none of the session, is ErrUnavailable.
func TestUnavailable(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	a := open(t, "text Done.\n", parley.Options{Home: home})
	s, ctx := create(t, a), background(t)
	if _, err := s.Run(ctx, parley.Prompt{Text: "Go."}); err != nil {
		t.Fatal(err)
	}
	journals, err := filepath.Glob(filepath.Join(home, "sessions", "*", "journal.jsonl"))
	if err != nil || len(journals) != 1 {
		t.Fatalf("journals: %q, %v", journals, err)
	}
	if err := os.Rename(journals[0], journals[0]+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("journal.jsonl", journals[0]); err != nil { // a loop
		t.Fatal(err)
	}
	b := open(t, "", parley.Options{Home: home})
	if _, err := b.Open(ctx, s.ID()); !errors.Is(err, parley.ErrUnavailable) {
		t.Errorf("Open: %v", err)
	}
}

// TestClose: a session that is closed in the middle of a turn ends it, followers have all, and no goroutine is left.
func TestClose(t *testing.T) {
	known := goleak.IgnoreCurrent()
	waits, withdrawn := make(chan struct{}), make(chan struct{})
	h := open(t, "call shell {\"command\":\"echo one\"}\nnext\ncall shell {\"command\":\"echo two\"}\n", parley.Options{
		Mode: parley.AskAlways,
		Approve: func(ctx context.Context, _ *parley.Session, asked record.ApprovalAsked) parley.Decision {
			if strings.Contains(asked.Request.Command, "one") {
				return parley.Decision{Allow: true}
			}
			close(waits)
			<-ctx.Done()
			close(withdrawn)
			return parley.Decision{Allow: true}
		},
	})
	s, ctx := create(t, h), background(t)
	records := s.Follow(ctx, parley.FollowOptions{})
	prompt(t, s, "Go.")
	<-waits
	if err := h.Close(ctx); err != nil {
		t.Error(err)
	}
	<-withdrawn
	var ended record.TurnEnded
	for rec, err := range records {
		if err != nil {
			t.Fatal(err)
		}
		if rec.Kind == record.KindTurnEnded {
			if err := rec.Decode(&ended); err != nil {
				t.Error(err)
			}
		}
	}
	if ended.Reason != record.TurnInterrupted {
		t.Errorf("%+v", ended)
	}
	if err := s.Close(ctx); err != nil {
		t.Errorf("closed twice: %v", err)
	}
	goleak.VerifyNone(t, known)
}

// TestOpenChecks: Open refuses a model that cannot be called, and tools that no session can offer.
func TestOpenChecks(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	tool := parley.Tool{Name: "price", Run: func(context.Context, parley.Call) (string, error) { return "", nil }}
	array := tool
	array.Schema = "[]"
	for want, o := range map[string]parley.Options{
		"Options.Model: no key for openai":                             {Model: "openai/gpt-5.5"},
		"Options.Tools: tool \"price\": another tool has this name":    {Tools: []parley.Tool{tool, tool}},
		"Options.Tools: tool \"price\": the schema of the input is no": {Tools: []parley.Tool{array}},
	} {
		o.Home, o.Isolated = home, true
		h, err := parley.Open(o)
		if err == nil {
			h.Close(background(t))
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) || errors.Is(err, parley.ErrNoModel) != strings.Contains(want, "Model") {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOptions: options that cannot be used are errors that name them.
func TestOptions(t *testing.T) {
	home := filepath.Join(t.TempDir(), "state")
	run := func(context.Context, parley.Call) (string, error) { return "", nil }
	for want, o := range map[string]parley.Options{
		`Options.Mode: unknown permission mode "fast"`:             {Mode: "fast"},
		`Options.Sandbox: sandbox "wall" is none of`:               {Sandbox: "wall"},
		"Options.Home is required with Options.Isolated":           {Isolated: true},
		"Options.Tools[0]: Name and Run are required":              {Tools: []parley.Tool{{Name: "price"}}},
		"Options.Script:2:":                                        {Home: home, Isolated: true, Script: "text Hi.\nshout Hi.\n"},
		"Options.Tools: tool \"read\": another tool has this":      {Home: home, Isolated: true, Tools: []parley.Tool{{Name: "read", Run: run}}},
		"Options.Tools: tool \"a price\": the name may have":       {Home: home, Isolated: true, Tools: []parley.Tool{{Name: "a price", Run: run}}},
		"Options.Tools: tool \"price\": the schema of the input":   {Home: home, Isolated: true, Tools: []parley.Tool{{Name: "price", Run: run, Schema: "[]"}}},
		"NewSession.Workspace is required":                         {Home: home, Isolated: true, Name: "no workspace"},
		"Options.Model: no offline model \"none\": there are demo": {Home: home, Isolated: true, Model: "offline/none", Name: "model"},
		"configuration: PARLEY_PERMISSION_MODE: unknown":           {Home: home, Getenv: variable("PARLEY_PERMISSION_MODE", "fast")},
		"configuration: PARLEY_PRIVATE_NETWORK: cannot read":       {Home: home, Isolated: true, Getenv: variable("PARLEY_PRIVATE_NETWORK", "fast")},
	} {
		h, err := parley.Open(o)
		if err == nil {
			n := parley.NewSession{Workspace: home, Model: o.Model}
			if o.Name == "no workspace" {
				n.Workspace = ""
			}
			if err = os.MkdirAll(home, 0o700); err == nil {
				_, err = h.Create(background(t), n)
			}
			h.Close(background(t))
		}
		if err == nil || !strings.HasPrefix(err.Error(), want) && !strings.Contains(err.Error(), "offline: "+want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// variable returns an environment with one variable.
func variable(name, value string) func(string) string {
	return func(asked string) string {
		if asked == name {
			return value
		}
		return ""
	}
}

// TestIsolated: the keys and the settings of the user count by default, and not with Isolated, whose keys come from Getenv.
func TestIsolated(t *testing.T) {
	config := filepath.Join(t.TempDir(), "config.jsonc")
	if err := os.WriteFile(config, []byte(`{"permission_mode":"plan"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"MISTRAL_API_KEY": "k-1", "PARLEY_CONFIG": config, "PARLEY_MODEL": ""} {
		t.Setenv(name, value)
	}
	for _, test := range []struct {
		o           parley.Options
		usable      bool
		mode, reads string
	}{
		{parley.Options{}, true, "plan", "the environment"},
		{parley.Options{Isolated: true}, false, "workspace-write", "nothing"},
		{parley.Options{Isolated: true, Getenv: variable("MISTRAL_API_KEY", "k-2")}, true, "workspace-write", "Getenv"},
	} {
		test.o.Home = filepath.Join(t.TempDir(), "state")
		h, err := parley.Open(test.o)
		if err != nil {
			t.Fatal(err)
		}
		s := create(t, h)
		names, _ := h.Models()
		if usable := slices.ContainsFunc(names, func(name string) bool { return strings.HasPrefix(name, "mistral/") }); usable != test.usable {
			t.Errorf("with keys of %s mistral can be called: %v, want %v", test.reads, usable, test.usable)
		}
		if mode := state(t, s).Settings.Mode; mode != test.mode {
			t.Errorf("with settings of %s the mode is %s, want %s", test.reads, mode, test.mode)
		}
		if err := h.Close(background(t)); err != nil {
			t.Error(err)
		}
	}
}

// A driver is what the sessions of both public packages can do.
type driver interface {
	ID() string
	Interrupt(ctx context.Context, turn string) (bool, error)
	Approve(ctx context.Context, approval string) error
	ApproveAll(ctx context.Context, approval string) error
	Deny(ctx context.Context, approval, reason string) error
	Answer(ctx context.Context, question string, answers [][]string) error
	State(ctx context.Context) (record.State, error)
	Blob(ctx context.Context, address string) ([]byte, error)
	Close(ctx context.Context) error
}

var (
	_ driver = (*parley.Session)(nil)
	_ driver = (*client.Session)(nil)
)

// TestStateMembers: the public forms of a state and of a line of a list have the members that hosts send.
func TestStateMembers(t *testing.T) {
	for _, pair := range []struct{ public, wire any }{{record.State{}, native.State{}}, {record.Listed{}, native.Listed{}}} {
		wire := names(reflect.TypeOf(pair.wire))
		for name := range names(reflect.TypeOf(pair.public)) {
			if !wire[name] {
				t.Errorf("%T has %s, and %T has not", pair.public, name, pair.wire)
			}
		}
	}
}

// names returns the members of a struct in JSON.
func names(typ reflect.Type) map[string]bool {
	all := map[string]bool{}
	for _, f := range reflect.VisibleFields(typ) {
		if name, _, _ := strings.Cut(f.Tag.Get("json"), ","); name != "" {
			all[name] = true
		}
	}
	return all
}
