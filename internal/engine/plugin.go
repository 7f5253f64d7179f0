package engine

import (
	"context"
	"runtime/debug"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A Plugin takes part in the work of a session: it has the methods of those of the interfaces below that
// concern it. Plugins are asked in the order of Options.Plugins. Except where a method says otherwise it is
// called by a goroutine of the turn with no lock held, may take its time, and returns soon after its
// context has ended. A panic in a plugin is logged and does not end the turn; each method says what holds
// then.
type Plugin any

// A CallInterceptor is asked about calls of tools, also those of subagents.
type CallInterceptor interface {
	// BeforeCall is called when a call is approved and recorded as started, before it does anything. The
	// first plugin that refuses decides. A panic refuses the call.
	BeforeCall(ctx context.Context, call model.Call) Ruling
	// AfterCall returns the end that is recorded for a call that has run, in place of ended; its ID stays.
	// The call has the input that ran. After a panic, ended holds.
	AfterCall(ctx context.Context, call model.Call, ended event.ToolEnded) event.ToolEnded
}

// A HistoryEditor changes what the model reads of a session's history. It is not asked about subagents.
type HistoryEditor interface {
	// History returns the messages of the next request in place of all; nil: all of them. The history
	// itself does not change. A call without a result gets one that says so, a result without a call is
	// left out. After a panic, all holds.
	History(ctx context.Context, all []HistoryMessage) []HistoryMessage
	// DraftCompaction is called when messages are about to be summarised. The first plugin that returns
	// something other than the zero CompactionDraft decides. A panic counts as that.
	DraftCompaction(ctx context.Context, c CompactionRequest) CompactionDraft
}

// An AnswerWatcher reads answers of the model while they are streamed, also those to subagents.
type AnswerWatcher interface {
	// WatchAnswer is called before an answer. It returns a function that is called with each TextDelta,
	// ThinkingDelta and ToolInputDelta after it was shown, and returns what is to be objected to, or nil;
	// it must be quick. Nil: this answer is not watched. A panic fails the turn.
	WatchAnswer(past Past) func(event.Event) *Violation
}

// A ToolFilter limits the tools that models are offered.
type ToolFilter interface {
	// OffersTool reports whether the tool is offered that models know by that name. It is called under the
	// session's lock and must be quick.
	OffersTool(name string) bool
}

// A QuestionFilter decides whether the user can be asked.
type QuestionFilter interface {
	// AllowsQuestions reports whether questions of tools are sent to the clients; where not, they fail with
	// tool.ErrUnattended, as with Options.NoQuestions. It must be quick.
	AllowsQuestions() bool
}

// A TurnKeeper decides which turns stay in the history.
type TurnKeeper interface {
	// KeepsTurn reports whether a turn that ended for that reason stays in the history; the log keeps it
	// all the same. It is called under the session's lock and must be quick. After a panic the turn stays.
	// A refused turn is also decided about when the session is opened, if it is the last one.
	KeepsTurn(event.TurnReason) bool
}

// keepsTurn reports whether all plugins keep a turn.
func (s *Session) keepsTurn(reason event.TurnReason) bool {
	keeps := true
	for _, p := range pluginsOf[TurnKeeper](s) {
		s.guard("deciding whether a turn is kept", "", func() { keeps = keeps && p.KeepsTurn(reason) })
	}
	return keeps
}

// allowsQuestions reports whether the clients of a session can be sent questions.
func (s *Session) allowsQuestions() bool {
	allowed := !s.opts.NoQuestions
	for _, p := range pluginsOf[QuestionFilter](s) {
		allowed = allowed && p.AllowsQuestions()
	}
	return allowed
}

// pluginsOf returns the plugins of a session that have the methods of P.
func pluginsOf[P any](s *Session) []P {
	var found []P
	for _, plugin := range s.opts.Plugins {
		if p, ok := plugin.(P); ok {
			found = append(found, p)
		}
	}
	return found
}

// guard calls f, and logs a panic in it as one of doing something with name. It returns the value of the
// panic; nil: there was none.
func (s *Session) guard(doing, name string, f func()) (panicked any) {
	defer func() {
		if panicked = recover(); panicked != nil {
			s.host.cfg.Log.Error("panic in a tool or plugin", "session", s.id, "doing", doing, "name", name, "panic", panicked, "stack", string(debug.Stack()))
		}
	}()
	f()
	return nil
}

// subagentPlugins returns the plugins of a session as those of its subagent of that name.
func subagentPlugins(plugins []Plugin, name string) []Plugin {
	var all []Plugin
	for _, plugin := range plugins {
		if p, ok := plugin.(CallInterceptor); ok {
			all = append(all, subagentCalls{p, name + "/"})
		}
		if p, ok := plugin.(AnswerWatcher); ok {
			all = append(all, struct{ AnswerWatcher }{p})
		}
		if p, ok := plugin.(ToolFilter); ok {
			all = append(all, struct{ ToolFilter }{p})
		}
		if p, ok := plugin.(QuestionFilter); ok {
			all = append(all, struct{ QuestionFilter }{p})
		}
		if p, ok := plugin.(TurnKeeper); ok {
			all = append(all, struct{ TurnKeeper }{p})
		}
	}
	return all
}

// subagentCalls intercepts the calls of a subagent. Their ids begin with its name, so that those of several
// subagents differ.
type subagentCalls struct {
	CallInterceptor
	prefix string
}

func (c subagentCalls) BeforeCall(ctx context.Context, call model.Call) Ruling {
	call.ID = c.prefix + call.ID
	return c.CallInterceptor.BeforeCall(ctx, call)
}

func (c subagentCalls) AfterCall(ctx context.Context, call model.Call, ended event.ToolEnded) event.ToolEnded {
	call.ID, ended.Call = c.prefix+call.ID, event.CallID(c.prefix)+ended.Call
	return c.CallInterceptor.AfterCall(ctx, call, ended)
}
