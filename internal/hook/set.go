package hook

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
)

// Options is what a Set works with.
type Options struct {
	Hooks   map[event.HookMoment][]Hook // those of a moment in the order that they are asked in
	Spawner *sandbox.Spawner
	Environ []string     // of the commands, without secrets
	Log     *slog.Logger // what hooks write on stderr, at debug; default: discard
}

// A Set is the hooks of a program. It is safe for use by several goroutines, and takes up
// nothing but while a hook runs.
type Set struct {
	options Options
	hooks   map[event.HookMoment][]ready
}

// New checks the hooks. The error names the one that cannot be used.
func New(o Options) (*Set, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	s := &Set{options: o, hooks: map[event.HookMoment][]ready{}}
	for moment, hooks := range o.Hooks {
		for i, h := range hooks {
			r, err := prepare(moment, i, h)
			if err != nil {
				return nil, fmt.Errorf("hooks.%s[%d]: %w", moment, i, err)
			}
			s.hooks[moment] = append(s.hooks[moment], r)
		}
	}
	return s, nil
}

// At is the hooks of a moment, with everything that they had left open.
func (s *Set) At(m event.HookMoment) []Hook {
	var hooks []Hook
	for _, h := range s.hooks[m] {
		hooks = append(hooks, h.Hook)
	}
	return hooks
}

// Has says whether there is a hook of the moment at all.
func (s *Set) Has(m event.HookMoment) bool { return len(s.hooks[m]) > 0 }

// A Ruling is what comes of all hooks of a moment.
type Ruling struct {
	Denied  bool           // or, at the end of a turn, that it goes on
	Reason  string         // of a denial, for the model; says which hook it was
	Input   jsontext.Value // what runs instead; nil: what was to run
	Context string         // for the model besides, each piece with its hook's name; "" for none
	Ran     []event.HookRan
	Failed  []string // how hooks failed, for people
}

// Ask asks the hooks that r concerns, one after the other; each sees the input that those
// before it have left. The first that says no, or fails where that counts as a no, is the last
// that is asked. When ctx ends before they are through, the Ruling is empty: whoever ended
// it knows what follows.
func (s *Set) Ask(ctx context.Context, r Report) Ruling {
	var ruling Ruling
	for _, h := range s.hooks[r.Moment] {
		if !h.concerns(r) {
			continue
		}
		began := time.Now()
		a, failure := s.ask(ctx, h, r)
		if ctx.Err() != nil {
			return Ruling{}
		}
		if failure == nil && a.Input != nil {
			r.Call, failure = r.Call.rewritten(a.Input)
		}
		if failure != nil {
			ruling.Failed = append(ruling.Failed, fmt.Sprintf("The hook %q of %s failed: %v.", h.Name, r.Moment, failure))
			if h.OnFailure == FailureAllows {
				continue
			}
			a = answer{Decision: no(r.Moment), Reason: fmt.Sprintf("it failed, and fails closed: %v", failure)}
		}
		if ruling.add(h, r, a, time.Since(began)) {
			break
		}
	}
	return ruling
}

// ask asks one hook. The error is how it failed.
func (s *Set) ask(ctx context.Context, h ready, r Report) (answer, error) {
	input, err := json.Marshal(r)
	if err != nil {
		return answer{}, fmt.Errorf("it could not be told: %w", err)
	}
	told, err := s.run(ctx, h, r.Dir, append(input, '\n'))
	if err != nil {
		return answer{}, fmt.Errorf("it could not be run: %w", err)
	}
	s.options.Log.Debug("hook ran", "moment", r.Moment, "hook", h.Name, "session", r.Session, "exit", told.exit.Code, "stderr", plain(told.stderr))
	return h.read(r.Moment, told)
}

// rewritten is the call with another input, if that is one.
func (c *Call) rewritten(input jsontext.Value) (*Call, error) {
	own, err := c.Fit(input)
	if err != nil {
		return c, fmt.Errorf("it rewrote the input to one that the tool does not take: %w", err)
	}
	again := *c
	again.Input, again.OwnInput = input, own
	return &again, nil
}

// add takes an answer in, and says whether it was a no.
func (g *Ruling) add(h ready, r Report, a answer, ran time.Duration) bool {
	denied := a.Decision == no(r.Moment)
	if !denied && a.Input == nil && a.Context == "" {
		return false
	}
	record := event.HookRan{
		Moment: r.Moment, Hook: h.Name, Decision: event.HookAllowed, Rewrote: a.Input != nil && !denied,
		Context: a.Context, Ran: event.Duration(ran),
	}
	if r.Call != nil {
		record.Call = r.Call.ID
	}
	if denied {
		g.Denied, record.Decision, record.Reason = true, a.Decision, a.Reason
		g.Reason = denial(h.Name, r.Moment, a.Reason)
	} else if a.Input != nil {
		g.Input = a.Input
	}
	if a.Context != "" {
		g.Context = Join(g.Context, fmt.Sprintf("[hook %s] %s", h.Name, a.Context))
	}
	g.Ran = append(g.Ran, record)
	return denied
}

// denial is a no in words for the model.
func denial(name string, m event.HookMoment, reason string) string {
	what := map[event.HookMoment]string{
		event.BeforeTool: "denied this call", event.AfterTool: "does not accept what this call did", event.AtPrompt: "refused the prompt",
		event.AtTurnEnd: "wants the turn to go on",
	}[m]
	text := fmt.Sprintf("[hook %s] A hook of the user %s", name, what)
	if reason == "" {
		return text + "."
	}
	return text + ": " + reason
}

// Join is two pieces of text for the model; each may be "".
func Join(text, more string) string {
	switch {
	case text == "" || more == "":
		return text + more
	case text[len(text)-1] == '\n':
		return text + more
	}
	return text + "\n" + more
}
