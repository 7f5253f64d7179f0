package engine

import (
	"cmp"
	"math/rand/v2"
	"time"

	"parley.dev/parley/internal/model"
)

// A RetryPolicy decides whether failed model calls are made again. Many turns use it at once.
type RetryPolicy interface {
	// Retry returns how a call is made again; ok is false if its failure is final.
	Retry(FailedCall) (r Retry, ok bool)
	// RetriesEmpty reports whether an answer that has neither a text nor a call is requested once more.
	RetriesEmpty() bool
}

// A FailedCall is a model call that failed for a reason that may pass.
type FailedCall struct {
	Err   *model.Error
	Shown bool              // followers have a part of the answer: text or a call
	Past  []model.ErrorKind // the failures after which it was made again, the first one first
}

// A Retry is one more attempt.
type Retry struct {
	Delay time.Duration
	Left  int // attempts after this one
	// Discard: what followers have of the failed answer is void. Otherwise it is recorded as a partial
	// message before the wait.
	Discard bool
}

// Retries is a RetryPolicy with a limit for each kind of failure and jitter in its delays. A call whose
// answer followers have a part of is not made again.
type Retries struct {
	RateLimited int           // retries after a rate limit
	Overloaded  int           // retries after an overload; 0: they count as Unavailable
	Unavailable int           // retries after anything else that may pass
	First       time.Duration // the first delay; it doubles
	Ceiling     time.Duration // up to this; 0: Longest
	Longest     time.Duration // the call fails at once if the provider names a longer delay; a shorter one is used as it is
	Empty       bool          // an empty answer is requested once more
}

// DefaultRetries are the retries of sessions that have no policy of their own.
var DefaultRetries = Retries{
	RateLimited: 8, Overloaded: 8, Unavailable: 2,
	First: time.Second, Ceiling: 30 * time.Second, Longest: time.Minute,
	Empty: true,
}

// Retry implements RetryPolicy.
func (r Retries) Retry(f FailedCall) (Retry, bool) {
	class, left := r.limit(f.Err.Kind)
	for _, kind := range f.Past {
		if past, _ := r.limit(kind); past == class {
			left--
		}
	}
	if f.Shown || left <= 0 || f.Err.RetryAfter > r.Longest {
		return Retry{}, false
	}
	delay := f.Err.RetryAfter
	if delay <= 0 {
		delay = r.delay(len(f.Past))
	}
	return Retry{Delay: delay, Left: left - 1}, true
}

// RetriesEmpty implements RetryPolicy.
func (r Retries) RetriesEmpty() bool { return r.Empty }

// limit returns what failures of kind count as, and how many retries there may be after those.
func (r Retries) limit(kind model.ErrorKind) (class model.ErrorKind, limit int) {
	switch {
	case kind == model.RateLimited:
		return kind, r.RateLimited
	case kind == model.Overloaded && r.Overloaded > 0:
		return kind, r.Overloaded
	}
	return "", r.Unavailable
}

// delay returns the delay before the retry after n others: it doubles up to the ceiling, and then varies by half.
func (r Retries) delay(n int) time.Duration {
	delay, ceiling := r.First, cmp.Or(r.Ceiling, max(r.Longest, r.First))
	for range n {
		if delay >= ceiling/2 {
			delay = ceiling
			break
		}
		delay *= 2
	}
	return delay/2 + rand.N(delay+1)
}
