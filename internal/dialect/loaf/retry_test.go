package loaf

import (
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRetriesAreExhausted: a provider that is busy for good is asked eight times, with waits
// that double up to twenty seconds, and each wait is reported. The clock is a false one.
func TestRetriesAreExhausted(t *testing.T) {
	for _, test := range []struct {
		kind    string
		retries int
		waits   time.Duration // all together; each is up to a half shorter or longer
	}{
		{"rate_limited status=429", 7, (1250+2500+5000+10000)*time.Millisecond + 3*20*time.Second},
		{"overloaded status=503", 3, (1250 + 2500 + 5000) * time.Millisecond},
		{"rejected status=400", 0, 0},
	} {
		t.Run(test.kind, func(t *testing.T) {
			script := strings.Repeat("fail "+test.kind+" no capacity\nnext\n", test.retries+1) + "text Back.\n"
			p := newPlace(t, t.TempDir(), script)
			synctest.Test(t, func(t *testing.T) {
				c := p.dial(t)
				c.Limit = time.Hour
				session := c.create()
				begin := time.Now()
				lines := c.turn(session, "go")
				waited := time.Since(begin)
				if waited < test.waits/2 || waited > test.waits*3/2 {
					t.Errorf("the waits took %s, want about %s", waited, test.waits)
				}
				for n := 1; n <= test.retries; n++ {
					if label := fmt.Sprintf(`"capacity unavailable; retrying (%d/%d)..."`, n, test.retries); !sent(lines, label) {
						t.Errorf("%s was not sent", label)
					}
				}
				if !sent(lines, "inference error: ") {
					t.Error("the turn did not fail")
				}
				if !sent(c.turn(session, "again"), `"Back."`) {
					t.Error("there is no answer afterwards")
				}
				c.end()
			})
		})
	}
}

func sent(lines []wireLine, text string) bool {
	for _, l := range lines {
		if strings.Contains(string(l.Params), text) {
			return true
		}
	}
	return false
}
