package engine

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// fakeBackends are back ends of the tests, by name.
type fakeBackends map[string]*fakeBackend

func (f fakeBackends) find(name string) (backend.Backend, error) {
	if b := f[name]; b != nil {
		return b, nil
	}
	return nil, fmt.Errorf("back end %q is not configured", name)
}

// ownerOf returns the back end before the slash of the name of a model; "": none of these.
func (f fakeBackends) ownerOf(model string) string {
	if name, _, ok := strings.Cut(model, "/"); ok && f[name] != nil {
		return name
	}
	return ""
}

func (f fakeBackends) limitsOf(name string) backend.Limits {
	if b := f[name]; b != nil {
		return b.limits
	}
	return backend.Limits{}
}

// A fakeTurn is what an agent does with a prompt. Send returns false when the turn is not wanted any more.
type fakeTurn func(ctx context.Context, send func(backend.Update) bool) error

// A fakeBackend has agents that answer prompts with one function after the other, whichever of them is asked.
type fakeBackend struct {
	info   backend.Info
	limits backend.Limits
	steer  func(ctx context.Context, text string) error
	change func(to backend.Settings) error
	fork   func() error
	sum    func(ctx context.Context) (string, error) // for Compact

	mu       sync.Mutex
	turns    []fakeTurn
	openings []backend.Opening
	log      []string // what agents were asked
	running  int
	most     int // that ran at a time
	sessions int
	lost     bool // no session can be resumed
}

func newFakeBackend(turns ...fakeTurn) *fakeBackend {
	return &fakeBackend{turns: turns, info: backend.Info{Program: "fake", Version: "1", Resumes: true}}
}

// note writes what an agent was asked into the log.
func (f *fakeBackend) note(format string, args ...any) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = append(f.log, fmt.Sprintf(format, args...))
}

// takeLog returns the log, and begins it anew.
func (f *fakeBackend) takeLog() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	log := f.log
	f.log = nil
	return log
}

// alive returns how many agents run.
func (f *fakeBackend) alive() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.running
}

func (f *fakeBackend) lastOpening() backend.Opening {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.openings[len(f.openings)-1]
}

// newID returns the id of a new session of the agent.
func (f *fakeBackend) newID() string {
	f.sessions++
	return fmt.Sprint("their-", f.sessions)
}

// Open implements backend.Backend.
func (f *fakeBackend) Open(ctx context.Context, o backend.Opening) (backend.Agent, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if o.Session != "" && f.lost {
		f.log = append(f.log, "gone "+o.Session)
		return nil, backend.ErrGone
	}
	a := &fakeAgent{f: f, id: o.Session, ended: make(chan struct{})}
	if a.id == "" {
		a.id = f.newID()
		f.log = append(f.log, "new "+a.id)
	} else {
		f.log = append(f.log, "resume "+a.id)
	}
	f.openings = append(f.openings, o)
	f.running++
	f.most = max(f.most, f.running)
	return a, nil
}

// A fakeAgent is an agent of a fakeBackend.
type fakeAgent struct {
	f     *fakeBackend
	id    string
	once  sync.Once
	ended chan struct{}
}

func (a *fakeAgent) ID() string         { return a.id }
func (a *fakeAgent) Info() backend.Info { return a.f.info }

func (a *fakeAgent) Offers(context.Context) (backend.Offers, error) { return backend.Offers{}, nil }

func (a *fakeAgent) Alive() bool {
	select {
	case <-a.ended:
		return false
	default:
		return true
	}
}

func (a *fakeAgent) Close() {
	a.once.Do(func() {
		close(a.ended)
		a.f.mu.Lock()
		defer a.f.mu.Unlock()
		a.f.log = append(a.f.log, "close "+a.id)
		a.f.running--
	})
}

func (a *fakeAgent) Change(_ context.Context, to backend.Settings) error {
	a.f.note("change %s model=%s options=%v", a.id, to.Model, to.Options)
	if a.f.change == nil {
		return backend.ErrUnsupported
	}
	return a.f.change(to)
}

func (a *fakeAgent) Turn(ctx context.Context, p backend.Prompt) iter.Seq2[backend.Update, error] {
	return func(yield func(backend.Update, error) bool) {
		a.f.note("prompt %s %s", a.id, textOf(p))
		a.f.mu.Lock()
		play := answerTurn("Nothing is left to say.")
		if len(a.f.turns) > 0 {
			play, a.f.turns = a.f.turns[0], a.f.turns[1:]
		}
		a.f.mu.Unlock()
		over := false
		err := play(ctx, func(u backend.Update) bool {
			over = over || !yield(u, nil)
			return !over
		})
		if err != nil {
			a.Close()
			if !over {
				yield(nil, err)
			}
		}
	}
}

func (a *fakeAgent) Steer(ctx context.Context, p backend.Prompt) error {
	if a.f.steer == nil {
		return backend.ErrUnsupported
	}
	err := a.f.steer(ctx, textOf(p))
	if err == nil {
		a.f.note("steer %s %s", a.id, textOf(p))
	}
	return err
}

func (a *fakeAgent) Compact(ctx context.Context) (string, error) {
	a.f.note("compact %s", a.id)
	if a.f.sum == nil {
		return "", backend.ErrUnsupported
	}
	return a.f.sum(ctx)
}

func (a *fakeAgent) Fork(_ context.Context, prompts int) (string, error) {
	if a.f.fork != nil {
		if err := a.f.fork(); err != nil {
			return "", err
		}
	}
	a.f.mu.Lock()
	defer a.f.mu.Unlock()
	id := a.f.newID()
	n := fmt.Sprint(prompts)
	if prompts == backend.AllPrompts {
		n = "all"
	}
	a.f.log = append(a.f.log, fmt.Sprintf("fork %s %s %s", a.id, n, id))
	return id, nil
}

// textOf returns the text of a prompt; of a conversation that it begins with, only that it is there.
func textOf(p backend.Prompt) string {
	var parts []string
	for _, b := range p.Blocks {
		switch {
		case b.Kind == model.KindImage:
			parts = append(parts, "[image "+string(b.Image.Data)+"]")
		case strings.HasPrefix(b.Text, "<earlier-conversation>"):
			parts = append(parts, "[earlier]")
		default:
			parts = append(parts, b.Text)
		}
	}
	return strings.Join(parts, " ")
}

// answerTurn answers with a text.
func answerTurn(text string) fakeTurn {
	return playTurn(backend.Text{Message: "1", Text: text}, backend.MessageEnd{}, backend.End{Reason: event.TurnCompleted})
}

// playTurn sends updates.
func playTurn(updates ...backend.Update) fakeTurn {
	return func(_ context.Context, send func(backend.Update) bool) error {
		for _, u := range updates {
			send(u)
		}
		return nil
	}
}

// hangTurn signals that it hangs, and waits for the end of ctx, after which the agent reports the end.
func hangTurn(hanging chan<- struct{}) fakeTurn {
	return func(ctx context.Context, send func(backend.Update) bool) error {
		close(hanging)
		<-ctx.Done()
		send(backend.End{Reason: event.TurnInterrupted})
		return nil
	}
}

// dieTurn ends the agent.
func dieTurn(updates ...backend.Update) fakeTurn {
	return func(_ context.Context, send func(backend.Update) bool) error {
		for _, u := range updates {
			send(u)
		}
		return &backend.Error{Backend: "fake", Code: backend.CodeGone, Message: "its process has ended"}
	}
}

// delegated makes a session of the back end "fake".
func delegated(o *Options, s *event.Settings) { s.Backend = "fake" }

// linesOf returns what tests compare of the records of turns.
func linesOf(records []event.Record) (lines []string) {
	for _, rec := range records {
		switch e := rec.Event.(type) {
		case event.UserMessage:
			lines = append(lines, string(e.Via)+": "+model.Message{Blocks: e.Blocks}.Text())
		case event.AssistantMessage:
			if e.Void {
				continue // it has what was used, and nothing that was said
			}
			m := model.Message{Blocks: e.Blocks}
			line := "answer: " + m.Text()
			for _, c := range m.Calls() {
				line += " [" + c.Name + "]"
			}
			lines = append(lines, line)
		case event.BackendOpened:
			lines = append(lines, fmt.Sprintf("opened %s resumed=%t told=%d forked=%d", e.Session, e.Resumed, e.Told, e.Forked))
		case event.Notice:
			lines = append(lines, "notice "+e.Code)
		case event.ToolEnded:
			lines = append(lines, fmt.Sprintf("call %s: %s", e.Outcome, e.Output))
		case event.QuestionAsked:
			lines = append(lines, "question: "+e.Questions[0].Text)
		case event.QuestionAnswered:
			lines = append(lines, fmt.Sprintf("answered by %s: %v", e.By, e.Answers))
		case event.Compacted:
			lines = append(lines, "compacted: "+e.Summary)
		case event.RetryStarted:
			lines = append(lines, fmt.Sprintf("retry %d of %d: %s", e.Attempt, e.Max, e.Failure.Message))
		case event.RetryEnded:
			lines = append(lines, fmt.Sprintf("retry ended: %t", e.Succeeded))
		case event.TurnEnded:
			line := "end: " + string(e.Reason)
			if e.Failure != nil {
				line += " " + e.Failure.Kind + " " + e.Failure.Code
			}
			lines = append(lines, line)
		}
	}
	return lines
}

var errRefused = errors.New("refused")

// withoutLines drops lines that a test does not look at.
func withoutLines(lines []string, prefix string) []string {
	return slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, prefix) })
}
