package codex

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// A goal is what a thread works on until it is reached. It is stored beside the other settings of the thread.
type goal struct {
	Objective string           `json:"objective"`
	Status    ThreadGoalStatus `json:"status"`
	Budget    int64            `json:"budget,omitzero"` // tokens; 0: any number
	Created   int64            `json:"created"`         // Unix seconds; so below
	Updated   int64            `json:"updated"`

	// What it has used when it was counted last. What is used while it is active counts, and in the turn that reports.
	Tokens  int64 `json:"tokens,omitzero"`
	TimeMS  int64 `json:"timeMs,omitzero"`
	Thread  int64 `json:"thread,omitzero"` // tokens that the thread had used then
	Counted int64 `json:"counted"`         // when, Unix milliseconds

	Report bool `json:"report,omitzero"` // the budget is used up, and the turn that reports where the work stands is to come
}

// tokensOf returns how many tokens count of what was used: not those that a cache had.
func tokensOf(u model.Usage) int64 { return int64(u.Input + u.CacheWrite + u.Output) }

// count adds what was used since the goal was counted last, if works says that it was used for the goal. Time counts while turns
// run; began is the zero time between turns.
func (g *goal) count(works bool, thread int64, began, now time.Time) {
	if works {
		g.Tokens += max(0, thread-g.Thread)
		if from := max(began.UnixMilli(), g.Counted); !began.IsZero() {
			g.TimeMS += max(0, now.UnixMilli()-from)
		}
	}
	g.Thread, g.Counted = thread, now.UnixMilli()
}

// counted returns the goal of an idle thread that has used so much. A process that was killed has not counted its turn.
func (g goal) counted(used model.Usage, now time.Time) goal {
	g.count(g.Status == ThreadGoalStatusActive, tokensOf(used), time.Time{}, now)
	g.limit()
	return g
}

// usedUp reports whether the budget is used up.
func (g *goal) usedUp() bool { return g.Budget > 0 && g.Tokens >= g.Budget }

// limit ends an active goal whose budget is used up.
func (g *goal) limit() {
	if g.Status == ThreadGoalStatusActive && g.usedUp() {
		g.Status, g.Report = ThreadGoalStatusBudgetLimited, true
	}
}

// maxObjective is the limit of an objective, in characters.
const maxObjective = 4000

// checkGoalSet checks a request to set a goal.
func checkGoalSet(p *ThreadGoalSetParams) error {
	switch n := utf8.RuneCountInString(strings.TrimSpace(p.Objective)); {
	case n > maxObjective:
		return problem("objective", "must have at most 4000 characters")
	case p.Objective != "" && n == 0:
		return problem("objective", "must not be empty")
	case p.TokenBudget != nil && *p.TokenBudget < 1:
		return problem("tokenBudget", "must be at least 1")
	}
	return nil
}

// The errors of requests that set a goal.
var (
	errNoGoal    = refused("the thread has no goal: an objective is needed")
	errEphemeral = refused("an ephemeral thread has no goal")
	errNotOurs   = refused("the thread was opened by a client of another protocol: it has no goal")
)

// withGoal returns the goal that a request leads to. An objective for a thread without a goal, or with one that is complete, is
// a new goal; any other changes the goal, and what was used still counts.
func withGoal(old *goal, p *ThreadGoalSetParams, thread int64, now time.Time) (*goal, error) {
	objective := strings.TrimSpace(p.Objective)
	if old == nil && objective == "" {
		return nil, errNoGoal
	}
	if old == nil || objective != "" && old.Status == ThreadGoalStatusComplete {
		old = &goal{Created: now.Unix(), Status: ThreadGoalStatusActive, Thread: thread}
	}
	g := *old
	g.count(g.Status == ThreadGoalStatusActive, thread, time.Time{}, now)
	g.Updated = now.Unix()
	if objective != "" {
		g.Objective = objective
	}
	if p.TokenBudget != nil {
		g.Budget = *p.TokenBudget
	}
	switch {
	case p.Status != "":
		g.Status, g.Report = p.Status, false
	case objective != "", g.Status == ThreadGoalStatusBudgetLimited && !g.usedUp():
		g.Status, g.Report = ThreadGoalStatusActive, false
	}
	g.limit()
	return &g, nil
}

// after returns the goal after a step of a turn, or its end.
func (g goal) after(p engine.Progress) goal {
	works := g.Status == ThreadGoalStatusActive || g.Status == ThreadGoalStatusBudgetLimited && !p.Prompted
	g.count(works, tokensOf(p.Usage), p.Began, p.Now)
	for _, call := range p.Calls {
		if word := reported(call); word != "" && (g.Status == ThreadGoalStatusActive || g.Status == ThreadGoalStatusBudgetLimited) {
			g.Status, g.Report = word, false
		}
	}
	if g.Status == ThreadGoalStatusActive {
		switch {
		case p.Reason == event.TurnInterrupted && p.Client != (event.Client{}):
			g.Status = ThreadGoalStatusPaused
		case p.Reason == event.TurnFailed && p.Failure != nil && p.Failure.Kind == engine.FailMoved: // it goes on elsewhere
		case p.Reason == event.TurnBudget, p.Reason == event.TurnFailed && isLimit(p.Failure):
			g.Status = ThreadGoalStatusUsageLimited
		case p.Reason == event.TurnFailed, p.Reason == event.TurnRefused:
			g.Status = ThreadGoalStatusBlocked
		}
	}
	g.limit()
	return g
}

// isLimit reports whether a failure is that the provider gives no more, for now.
func isLimit(f *event.Failure) bool {
	return f != nil && (f.Kind == string(model.Quota) || f.Kind == string(model.RateLimited))
}

// reported returns the status that a call of the model reports; "": it reports none.
func reported(call model.Call) ThreadGoalStatus {
	var input struct {
		Status ThreadGoalStatus `json:"status"`
	}
	if call.Name == nameUpdateGoal {
		_ = json.Unmarshal(call.Input, &input) // it fits the schema
	}
	return input.Status
}

// shown returns the goal as clients see it.
func (g goal) shown(thread string) ThreadGoal {
	shown := ThreadGoal{
		ThreadID: thread, Objective: g.Objective, Status: g.Status, CreatedAt: g.Created, UpdatedAt: g.Updated,
		TokensUsed: g.Tokens, TimeUsedSeconds: g.TimeMS / 1000,
	}
	if g.Budget > 0 {
		shown.TokenBudget = &g.Budget
	}
	return shown
}
