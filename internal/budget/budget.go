package budget

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/lock"
)

// A Budget counts use against limits. Once a limit is reached the budget is used up, for good. It
// is safe for concurrent use. A nil Budget has no limits and counts nothing.
type Budget struct {
	scope  event.BudgetScope
	plan   Plan
	parent *Budget // use is counted there too

	mu           *lock.Mutex // shared with the parent and all children
	used         Use
	running      map[*time.Time]struct{} // the start times of the running turns
	lastWallTime time.Duration           // of the last turn that ended
	warned       map[event.BudgetReason]bool
	exceeded     bool          // one of its own limits was reached
	queuedEvents []event.Event // caused by the use of children; TakeEvents returns them
	eventsQueued chan struct{} // receives a value when queuedEvents grows
	done         context.Context
	markDone     context.CancelCauseFunc // its cause is an *Error
	// subagentsDone ends when running subagents have to stop: not when only their number is limited.
	subagentsDone context.Context
	stopSubagents context.CancelCauseFunc
}

// Use is an amount that was used.
type Use struct {
	InputTokens, OutputTokens int
	Cost                      float64 // US dollars
	ToolCalls, Subagents      int
}

func (u Use) plus(v Use) Use {
	return Use{
		InputTokens: u.InputTokens + v.InputTokens, OutputTokens: u.OutputTokens + v.OutputTokens, Cost: u.Cost + v.Cost,
		ToolCalls: u.ToolCalls + v.ToolCalls, Subagents: u.Subagents + v.Subagents,
	}
}

// New returns the budget of one or more sessions; nil if no limit is set.
func New(p Plan) *Budget {
	if !p.Any() && !p.Task.Any() && !p.Subagent.Any() {
		return nil
	}
	return newBudget(event.BudgetOfSession, p, nil)
}

// Child returns a budget for a part of the work, with the limits that the plan of b has for it; nil
// if b is nil. Its use is counted in b too, and it is used up when b is. A subagent that runs
// continues, however, when only the number of subagents is used up.
func (b *Budget) Child(scope event.BudgetScope) *Budget {
	if b == nil {
		return nil
	}
	part := b.plan
	part.Limits = part.Task
	if scope == event.BudgetOfSubagent {
		part.Limits = part.Subagent
	}
	return newBudget(scope, part, b)
}

func newBudget(scope event.BudgetScope, p Plan, parent *Budget) *Budget {
	if p.WarnAt == 0 {
		p.WarnAt = defaultWarnAt
	}
	b := &Budget{
		scope: scope, plan: p, parent: parent, mu: new(lock.Mutex),
		running: map[*time.Time]struct{}{}, warned: map[event.BudgetReason]bool{}, eventsQueued: make(chan struct{}, 1),
	}
	above, hard := context.Background(), context.Background()
	if parent != nil {
		b.mu, above, hard = parent.mu, parent.done, parent.subagentsDone
	}
	if scope == event.BudgetOfSubagent {
		above = hard
	}
	b.done, b.markDone = context.WithCancelCause(above)
	b.subagentsDone, b.stopSubagents = context.WithCancelCause(hard)
	return b
}

// Close releases b, which is not used any more, from its parents.
func (b *Budget) Close() {
	if b != nil {
		b.markDone(nil)
		b.stopSubagents(nil)
	}
}

// Plan returns the limits of b and of its parts.
func (b *Budget) Plan() Plan {
	if b == nil {
		return Plan{}
	}
	return b.plan
}

// Add counts u. It returns the events that result, BudgetWarned and BudgetExceeded, each of them
// once per limit.
func (b *Budget) Add(u Use) (found []event.Event) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.add(u)
}

// Claim counts what is about to be used, as Add does. If the budget is used up already, it counts
// nothing and returns an *Error.
func (b *Budget) Claim(u Use) (found []event.Event, err error) {
	if b == nil {
		return nil, nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.Err(); err != nil {
		return nil, err
	}
	if above := b.usedUp(); above != nil && u.Subagents > 0 {
		return nil, above.Err()
	}
	return b.add(u), nil
}

// usedUp returns the nearest of b and its parents that has reached a limit of its own; nil if none has.
func (b *Budget) usedUp() *Budget {
	for ; b != nil; b = b.parent {
		if b.exceeded {
			return b
		}
	}
	return nil
}

// Refusal returns the event that a subagent was not started since b or a parent is used up. Its
// scope is a task, its snapshot that of the budget which is used up.
func (b *Budget) Refusal() event.BudgetExceeded {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := event.BudgetExceeded{Scope: event.BudgetOfTask}
	above := b.usedUp()
	if above == nil {
		return e
	}
	if cause, ok := errors.AsType[*Error](above.Err()); ok {
		e.Snapshot = above.snapshot(event.BudgetUsedUp, cause.Reason)
		e.Text = "A subagent was not begun: " + cause.text + "."
	}
	return e
}

// add counts u and returns the events of b itself; those of its parents are queued for TakeEvents.
func (b *Budget) add(u Use) (found []event.Event) {
	b.used = b.used.plus(u)
	found = b.check()
	for above := b.parent; above != nil; above = above.parent {
		above.used = above.used.plus(u)
		above.queueEvents(above.check())
	}
	return found
}

// Start starts the wall clock of a turn; stop stops it.
func (b *Budget) Start() (stop func()) {
	if b == nil {
		return func() {}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	began := time.Now()
	for x := b; x != nil; x = x.parent {
		x.running[&began] = struct{}{}
	}
	return sync.OnceFunc(func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		for x := b; x != nil; x = x.parent {
			x.lastWallTime = time.Since(began)
			delete(x.running, &began)
		}
	})
}

// CheckInterval returns the interval at which CheckWallTime has to be called while a turn runs; 0
// if it need not be called.
func (b *Budget) CheckInterval() time.Duration {
	var every time.Duration
	for ; b != nil; b = b.parent {
		if own := b.plan.WallTime; own > 0 {
			own = max(time.Millisecond, min(5*time.Second, own/10))
			every = min(cmp.Or(every, own), own)
		}
	}
	return every
}

// CheckWallTime checks the limit of the wall clock, and returns events like Add.
func (b *Budget) CheckWallTime() (found []event.Event) { return b.Add(Use{}) }

// wallTime returns the time of the running turn that started first, or else of the last turn.
func (b *Budget) wallTime() time.Duration {
	if len(b.running) == 0 {
		return b.lastWallTime
	}
	var longest time.Duration
	for began := range b.running {
		longest = max(longest, time.Since(*began))
	}
	return longest
}

// A dimension is one limit and the use of it.
type dimension struct {
	reason      event.BudgetReason
	used, limit float64
}

// dimensions returns everything that can be limited, in the order of the checks.
func (b *Budget) dimensions() []dimension {
	u, l := b.used, b.plan.Limits
	return []dimension{
		{event.BudgetWallTime, float64(b.wallTime()), float64(l.WallTime)},
		{event.BudgetInputTokens, float64(u.InputTokens), float64(l.InputTokens)},
		{event.BudgetOutputTokens, float64(u.OutputTokens), float64(l.OutputTokens)},
		{event.BudgetTotalTokens, float64(u.InputTokens + u.OutputTokens), float64(l.TotalTokens)},
		{event.BudgetCost, roundCost(u.Cost), l.Cost},
		{event.BudgetToolCalls, float64(u.ToolCalls), float64(l.ToolCalls)},
		{event.BudgetSubagents, float64(u.Subagents), float64(l.Subagents)},
	}
}

// roundCost removes the rounding errors of additions.
func roundCost(cost float64) float64 { return math.Round(cost*1e9) / 1e9 }

// check returns the event of the first limit that is reached, or else those of all limits that are
// near. It is called after each use.
func (b *Budget) check() (found []event.Event) {
	if b.exceeded {
		b.checkSubagents()
		return nil
	}
	var near []dimension
	for _, d := range b.dimensions() {
		switch {
		case d.limit == 0:
		case d.used >= d.limit:
			return []event.Event{b.exceed(d)}
		case d.used/d.limit >= b.plan.WarnAt && !b.warned[d.reason]:
			near = append(near, d)
		}
	}
	for _, d := range near {
		b.warned[d.reason] = true
		found = append(found, event.BudgetWarned{
			Scope: b.scope, Snapshot: b.snapshot(event.BudgetNear, d.reason), Text: b.sentence("is nearly used up", d),
		})
	}
	return found
}

// checkSubagents stops running subagents if a limit other than their number is reached.
func (b *Budget) checkSubagents() {
	if b.subagentsDone.Err() != nil {
		return
	}
	for _, d := range b.dimensions() {
		if d.limit > 0 && d.used >= d.limit && d.reason != event.BudgetSubagents {
			b.stopSubagents(b.error(d))
			return
		}
	}
}

func (b *Budget) error(d dimension) *Error {
	return &Error{Scope: b.scope, Reason: d.reason, text: sentenceStart[b.scope] + " is used up: " + d.text()}
}

func (b *Budget) exceed(d dimension) event.BudgetExceeded {
	b.exceeded = true
	err := b.error(d)
	b.markDone(err)
	if d.reason != event.BudgetSubagents {
		b.stopSubagents(err)
	}
	return event.BudgetExceeded{Scope: b.scope, Snapshot: b.snapshot(event.BudgetUsedUp, d.reason), Text: b.sentence("is used up", d)}
}

func (b *Budget) queueEvents(found []event.Event) {
	if len(found) == 0 {
		return
	}
	b.queuedEvents = append(b.queuedEvents, found...)
	select {
	case b.eventsQueued <- struct{}{}:
	default:
	}
}

// TakeEvents returns the events of b that the use of its children has caused since the last call.
func (b *Budget) TakeEvents() []event.Event {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.queuedEvents
	b.queuedEvents = nil
	return found
}

// EventsQueued returns a channel that receives a value when TakeEvents may return events.
func (b *Budget) EventsQueued() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.eventsQueued
}

// Done returns a channel that is closed when the budget is used up.
func (b *Budget) Done() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.done.Done()
}

// Err returns an *Error if the budget is used up.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	return context.Cause(b.done)
}

// LimitsCost reports whether b, or what it is a part of, has a limit of cost.
func (b *Budget) LimitsCost() bool {
	for ; b != nil; b = b.parent {
		if b.plan.Cost > 0 {
			return true
		}
	}
	return false
}

// Snapshot returns the use so far.
func (b *Budget) Snapshot() event.BudgetSnapshot {
	if b == nil {
		return event.BudgetSnapshot{Status: event.BudgetFine}
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := errors.AsType[*Error](b.Err()); ok {
		return b.snapshot(event.BudgetUsedUp, e.Reason)
	}
	if len(b.warned) > 0 {
		return b.snapshot(event.BudgetNear, "")
	}
	return b.snapshot(event.BudgetFine, "")
}

func (b *Budget) snapshot(status event.BudgetStatus, reason event.BudgetReason) event.BudgetSnapshot {
	u := b.used
	return event.BudgetSnapshot{
		Status: status, Reason: reason, WallTime: event.Duration(b.wallTime()),
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens,
		Cost: roundCost(u.Cost), ToolCalls: u.ToolCalls, Subagents: u.Subagents,
	}
}
