package pisces

import (
	"math"
	"slices"
	"testing"
	"time"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

// TestRetryPolicy checks that delays double exactly, unless the provider names a longer one, and that the
// limit counts retries after any failure.
func TestRetryPolicy(t *testing.T) {
	limited, busy := &model.Error{Kind: model.RateLimited}, &model.Error{Kind: model.Overloaded}
	named := func(d time.Duration) *model.Error { return &model.Error{Kind: model.RateLimited, RetryAfter: d} }
	policy := retryPolicy{max: 3, first: 2 * time.Second}
	for _, test := range []struct {
		name  string
		fails []*model.Error
		want  []time.Duration // the last failure is final if there are fewer
	}{
		{"the same failure", []*model.Error{limited, limited, limited, limited}, []time.Duration{2, 4, 8}},
		{"other failures", []*model.Error{limited, busy, limited, busy}, []time.Duration{2, 4, 8}},
		{"a longer delay is named", []*model.Error{limited, named(30 * time.Second)}, []time.Duration{2, 30}},
		{"a shorter delay is named", []*model.Error{named(time.Second)}, []time.Duration{2}},
		{"too long a delay is named", []*model.Error{limited, named(time.Hour)}, []time.Duration{2}},
	} {
		t.Run(test.name, func(t *testing.T) {
			var past []model.ErrorKind
			var got []time.Duration
			for _, err := range test.fails {
				r, ok := policy.Retry(engine.FailedCall{Err: err, Shown: true, Past: past})
				if !ok {
					break
				}
				past, got = append(past, err.Kind), append(got, r.Delay/time.Second)
				if !r.Discard || r.Left != policy.max-len(past) {
					t.Errorf("retry %d: %+v", len(past), r)
				}
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("delays = %v s, want %v s", got, test.want)
			}
		})
	}
}

func TestDelaysGrow(t *testing.T) {
	policy := retryPolicy{first: time.Second}
	for n := range 70 {
		want := time.Duration(math.MaxInt64)
		if n < 33 {
			want = time.Second << n
		}
		if got := policy.delay(n); got != want && n < 33 || got < want/2 {
			t.Errorf("delay %d is %s, want %s", n+1, got, want)
		}
	}
}
