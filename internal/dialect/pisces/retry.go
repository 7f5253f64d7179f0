package pisces

import (
	"math"
	"time"

	"parley.dev/parley/internal/engine"
)

// longestDelay is the longest delay before a retry that a provider may name. If it names a longer one the call
// fails at once.
const longestDelay = 10 * time.Minute

// A retryPolicy makes failed model calls again, whatever failed, with delays that double without jitter. An
// answer that clients have a part of is begun anew: they replace it.
type retryPolicy struct {
	max   int // retries of one call
	first time.Duration
}

// Retry implements engine.RetryPolicy.
func (p retryPolicy) Retry(f engine.FailedCall) (engine.Retry, bool) {
	n := len(f.Past)
	if n >= p.max || f.Err.RetryAfter > longestDelay {
		return engine.Retry{}, false
	}
	return engine.Retry{Delay: max(p.delay(n), f.Err.RetryAfter), Left: p.max - n - 1, Discard: true}, true
}

// RetriesEmpty implements engine.RetryPolicy.
func (retryPolicy) RetriesEmpty() bool { return true }

// delay returns the delay before the retry after n others.
func (p retryPolicy) delay(n int) time.Duration {
	if n >= 63 || p.first > math.MaxInt64>>n {
		return math.MaxInt64
	}
	return p.first << n
}
