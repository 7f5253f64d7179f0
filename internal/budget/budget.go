package budget

import (
	"cmp"
	"context"
	"errors"
	"math"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
)

// A Budget counts what is used of some limits. Once a limit is reached it is used up, and
// stays so. It is safe for concurrent use, and a nil one has no limits and counts nothing.
type Budget struct {
	scope  event.BudgetScope
	limits Limits
	parent *Budget // what is used here is used there too

	mu      *sync.Mutex // of the whole family
	used    Use
	running map[*time.Time]struct{} // when the turns began that run
	ran     time.Duration           // of the last turn that ended
	warned  map[event.BudgetReason]bool
	over    bool          // a limit of its own was reached
	found   []event.Event // by what children used, and that nobody has taken
	news    chan struct{} // has something when found does
	life    context.Context
	end     context.CancelCauseFunc // with an *Error
	// hard ends when subagents have to stop that work: not when there have been enough of them.
	hard    context.Context
	endHard context.CancelCauseFunc
}

// Use is what something used.
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

// New is the budget of a session, or of several; nil, if there is no limit.
func New(l Limits) *Budget {
	if !l.Any() {
		return nil
	}
	return newBudget(event.BudgetOfSession, l, nil)
}

// Child is a budget for a part of the work, which may have no limits of its own. What is used
// of it is used of b too; when b is used up, so is the child. But a subagent goes on that has
// begun when there may be no more of them.
func (b *Budget) Child(scope event.BudgetScope, l Limits) *Budget {
	if b == nil && !l.Any() {
		return nil
	}
	return newBudget(scope, l, b)
}

func newBudget(scope event.BudgetScope, l Limits, parent *Budget) *Budget {
	if l.WarnAt == 0 {
		l.WarnAt = defaultWarnAt
	}
	b := &Budget{
		scope: scope, limits: l, parent: parent, mu: new(sync.Mutex),
		running: map[*time.Time]struct{}{}, warned: map[event.BudgetReason]bool{}, news: make(chan struct{}, 1),
	}
	above, hard := context.Background(), context.Background()
	if parent != nil {
		b.mu, above, hard = parent.mu, parent.life, parent.hard
	}
	if scope == event.BudgetOfSubagent {
		above = hard
	}
	b.life, b.end = context.WithCancelCause(above)
	b.hard, b.endHard = context.WithCancelCause(hard)
	return b
}

// Close says that nothing of it is used any more. A child's parents forget it.
func (b *Budget) Close() {
	if b != nil {
		b.end(nil)
		b.endHard(nil)
	}
}

// Limits is what may be used.
func (b *Budget) Limits() Limits {
	if b == nil {
		return Limits{}
	}
	return b.limits
}

// Add counts what was used. Found is what that leads to: BudgetWarned and BudgetExceeded,
// each once.
func (b *Budget) Add(u Use) (found []event.Event) {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.add(u)
}

// Claim counts what is about to be used, as Add does, unless the budget is used up already:
// *Error.
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

// usedUp is b, or the nearest above it, whose own limit is reached; nil: none is.
func (b *Budget) usedUp() *Budget {
	for ; b != nil; b = b.parent {
		if b.over {
			return b
		}
	}
	return nil
}

// Refusal tells that something is not begun since the budget is used up, or one above it: in
// the scope of a task, with what was used of that one.
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

// add gives back what is found of the budget itself; what is found of those above it waits
// for whoever has them.
func (b *Budget) add(u Use) (found []event.Event) {
	b.used = b.used.plus(u)
	found = b.check()
	for above := b.parent; above != nil; above = above.parent {
		above.used = above.used.plus(u)
		above.tell(above.check())
	}
	return found
}

// Start runs the wall clock of a turn until stop is called.
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
			x.ran = time.Since(began)
			delete(x.running, &began)
		}
	})
}

// Every is how often Look has to be called while a turn runs; 0: there is no need to.
func (b *Budget) Every() time.Duration {
	var every time.Duration
	for ; b != nil; b = b.parent {
		if own := b.limits.WallTime; own > 0 {
			own = max(time.Millisecond, min(5*time.Second, own/10))
			every = min(cmp.Or(every, own), own)
		}
	}
	return every
}

// Look checks the wall clock.
func (b *Budget) Look() (found []event.Event) { return b.Add(Use{}) }

// wall is how long the turn has run that has run longest, or the last one did.
func (b *Budget) wall() time.Duration {
	if len(b.running) == 0 {
		return b.ran
	}
	var longest time.Duration
	for began := range b.running {
		longest = max(longest, time.Since(*began))
	}
	return longest
}

// A dimension is what was used of one limit.
type dimension struct {
	reason      event.BudgetReason
	used, limit float64
}

// dimensions is all that can be limited, in the order of the checks.
func (b *Budget) dimensions() []dimension {
	u, l := b.used, b.limits
	return []dimension{
		{event.BudgetWallTime, float64(b.wall()), float64(l.WallTime)},
		{event.BudgetInputTokens, float64(u.InputTokens), float64(l.InputTokens)},
		{event.BudgetOutputTokens, float64(u.OutputTokens), float64(l.OutputTokens)},
		{event.BudgetTotalTokens, float64(u.InputTokens + u.OutputTokens), float64(l.TotalTokens)},
		{event.BudgetCost, roundCost(u.Cost), l.Cost},
		{event.BudgetToolCalls, float64(u.ToolCalls), float64(l.ToolCalls)},
		{event.BudgetSubagents, float64(u.Subagents), float64(l.Subagents)},
	}
}

// roundCost takes what adding up fractions has left of itself.
func roundCost(cost float64) float64 { return math.Round(cost*1e9) / 1e9 }

// check finds the first limit that is reached, or else all that are near. It is asked behind
// every use.
func (b *Budget) check() (found []event.Event) {
	if b.over {
		b.checkHard()
		return nil
	}
	var near []dimension
	for _, d := range b.dimensions() {
		switch {
		case d.limit == 0:
		case d.used >= d.limit:
			return []event.Event{b.exceed(d)}
		case d.used/d.limit >= b.limits.WarnAt && !b.warned[d.reason]:
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

// checkHard ends the subagents that work if another limit is reached than theirs.
func (b *Budget) checkHard() {
	if b.hard.Err() != nil {
		return
	}
	for _, d := range b.dimensions() {
		if d.limit > 0 && d.used >= d.limit && d.reason != event.BudgetSubagents {
			b.endHard(b.error(d))
			return
		}
	}
}

func (b *Budget) error(d dimension) *Error {
	return &Error{Scope: b.scope, Reason: d.reason, text: lead[b.scope] + " is used up: " + d.text()}
}

func (b *Budget) exceed(d dimension) event.BudgetExceeded {
	b.over = true
	err := b.error(d)
	b.end(err)
	if d.reason != event.BudgetSubagents {
		b.endHard(err)
	}
	return event.BudgetExceeded{Scope: b.scope, Snapshot: b.snapshot(event.BudgetUsedUp, d.reason), Text: b.sentence("is used up", d)}
}

func (b *Budget) tell(found []event.Event) {
	if len(found) == 0 {
		return
	}
	b.found = append(b.found, found...)
	select {
	case b.news <- struct{}{}:
	default:
	}
}

// Take is what was found of the budget because of what its children used, since it was last
// asked.
func (b *Budget) Take() []event.Event {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	found := b.found
	b.found = nil
	return found
}

// News has something when there may be something to Take.
func (b *Budget) News() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.news
}

// Done is closed when the budget is used up.
func (b *Budget) Done() <-chan struct{} {
	if b == nil {
		return nil
	}
	return b.life.Done()
}

// Err is why the budget is used up, an *Error; nil: it is not.
func (b *Budget) Err() error {
	if b == nil {
		return nil
	}
	return context.Cause(b.life)
}

// Snapshot is what was used until now.
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
		Status: status, Reason: reason, WallTime: event.Duration(b.wall()),
		InputTokens: u.InputTokens, OutputTokens: u.OutputTokens, TotalTokens: u.InputTokens + u.OutputTokens,
		Cost: roundCost(u.Cost), ToolCalls: u.ToolCalls, Subagents: u.Subagents,
	}
}
