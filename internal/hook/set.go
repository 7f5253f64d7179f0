package hook

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

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

// At returns the hooks of a moment, with everything that they had left open.
func (s *Set) At(m event.HookMoment) []Hook {
	var hooks []Hook
	for _, h := range s.hooks[m] {
		hooks = append(hooks, h.Hook)
	}
	return hooks
}

// Has reports whether there is a hook of the moment at all.
func (s *Set) Has(m event.HookMoment) bool { return len(s.hooks[m]) > 0 }

// A Ruling is what comes of all hooks of a moment.
type Ruling struct {
	Denied     bool           // or, at the end of a turn, that it goes on
	Reason     string         // of a denial, for the model, or of PermissionAsk; says which hook it was
	Input      jsontext.Value // what runs instead; nil: what was to run
	Context    string         // for the model besides, each piece with its hook's name; "" for none
	Permission Permission     // about the approval of the call; "": none of the hooks said anything
	Stop       bool           // the turn is to end
	Ran        []event.HookRan
	Failed     []string // how hooks failed, for users
	Messages   []string // of hooks, for users
}

// Run runs the hooks that r concerns, one after the other; each sees the input that those
// before it have left. The first that denies, or fails where that counts as a denial, is the last
// that runs. When ctx ends before they are through, the Ruling is empty: the
// caller that cancelled it decides what follows.
func (s *Set) Run(ctx context.Context, r Report) Ruling {
	var ruling Ruling
	for _, h := range s.hooks[r.Moment] {
		views := h.concerns(r)
		for _, v := range views {
			began := time.Now()
			a, failure := s.ask(ctx, h, r, v)
			if ctx.Err() != nil {
				return Ruling{}
			}
			if failure == nil && h.Event == notification {
				a = answer{Message: a.Message}
			}
			if failure == nil && a.Updated != nil {
				a.Input, failure = h.updated(r, v, len(views), a.Updated)
			}
			if failure == nil && a.Input != nil {
				r.Call, failure = r.Call.rewritten(a.Input)
			}
			for _, warning := range a.Warnings {
				ruling.Failed = append(ruling.Failed, fmt.Sprintf("A part of the answer of the hook %q of %s has no effect: %s.", h.Name, r.Moment, warning))
			}
			if failure != nil {
				ruling.Failed = append(ruling.Failed, fmt.Sprintf("The hook %q of %s failed: %v.", h.Name, r.Moment, failure))
				if h.OnFailure == FailureAllows {
					continue
				}
				a = answer{Decision: no(r.Moment), Reason: fmt.Sprintf("it failed, and fails closed: %v", failure)}
			}
			if ruling.add(h, r, a, time.Since(began)) {
				return ruling
			}
		}
	}
	return ruling
}

// Then returns the ruling of g and, after it, of hooks that were asked next.
func (g Ruling) Then(next Ruling) Ruling {
	next.Context = Join(g.Context, next.Context)
	next.Ran, next.Failed, next.Messages = append(g.Ran, next.Ran...), append(g.Failed, next.Failed...), append(g.Messages, next.Messages...)
	if next.Input == nil {
		next.Input = g.Input
	}
	if next.Permission == "" || g.Permission == PermissionAsk && !next.Denied {
		next.Permission, next.Reason = g.Permission, cmp.Or(next.Reason, g.Reason)
	}
	return next
}

// updated returns the input that a hook wants, which has seen the call as one of n views.
func (h ready) updated(r Report, v view, n int, input jsontext.Value) (jsontext.Value, error) {
	if n > 1 {
		return nil, fmt.Errorf("it rewrote the input of a call that changes several files")
	}
	rewritten, err := v.rewritten(r.Call, input)
	if err != nil {
		return nil, fmt.Errorf("it rewrote the input to one that the tool does not take: %w", err)
	}
	return rewritten, nil
}

// ask asks one hook. The error is how it failed.
func (s *Set) ask(ctx context.Context, h ready, r Report, v view) (answer, error) {
	input, err := h.input(r, v)
	if err != nil {
		return answer{}, fmt.Errorf("its input could not be made: %w", err)
	}
	output, err := s.run(ctx, h, r.Dir, input)
	if err != nil {
		return answer{}, fmt.Errorf("it could not be run: %w", err)
	}
	s.options.Log.Debug("hook ran", "moment", r.Moment, "hook", h.Name, "session", r.Session, "exit", output.exit.Code, "stderr", plain(output.stderr))
	return h.read(r.Moment, output)
}

// rewritten returns the call with another input, if that is one.
func (c *Call) rewritten(input jsontext.Value) (*Call, error) {
	own, err := c.Fit(input)
	if err != nil {
		return c, fmt.Errorf("it rewrote the input to one that the tool does not take: %w", err)
	}
	again := *c
	again.Input, again.OwnInput = input, own
	return &again, nil
}

// add takes an answer in, and reports whether it was a no.
func (g *Ruling) add(h ready, r Report, a answer, ran time.Duration) bool {
	denied := a.Decision == no(r.Moment)
	if a.Message != "" {
		g.Messages = append(g.Messages, fmt.Sprintf("Hook %q: %s", h.Name, a.Message))
	}
	g.Stop = g.Stop || a.Stop
	if a.Permission == PermissionAsk || g.Permission == "" {
		g.Permission = a.Permission // a hook that wants the user to be asked has the last word
	}
	if !denied && a.Input == nil && a.Context == "" && a.Permission == "" {
		return a.Stop
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
	if a.Permission == PermissionAsk {
		g.Reason = denial(h.Name, "ask", a.Reason)
	}
	if a.Context != "" {
		g.Context = Join(g.Context, fmt.Sprintf("[hook %s] %s", h.Name, a.Context))
	}
	g.Ran = append(g.Ran, record)
	return denied || a.Stop
}

// denial returns a no in words for the model.
func denial(name string, m event.HookMoment, reason string) string {
	what := map[event.HookMoment]string{
		event.BeforeTool: "denied this call", event.AfterTool: "does not accept what this call did", event.AtPrompt: "refused the prompt",
		event.AtTurnEnd: "wants the turn to go on", event.BeforeCompact: "does not allow the compaction", event.AtPermission: "denied this call",
		"ask": "wants this call to be approved",
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
