package cli

import (
	"strings"
	"testing"
	"time"
)

// TestProgressLine: work of a second has a line, which is overwritten and removed; shorter work has none.
func TestProgressLine(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	l := &progressLine{out: &out, now: func() time.Time { return now }}
	for range 2 { // the second time as the first
		out.Reset()
		for _, step := range []struct {
			done  int
			after time.Duration
			want  string
		}{
			{0, 0, ""},
			{10, 999 * time.Millisecond, ""},
			{11, time.Millisecond, "\rreading the sessions for their list: 11 of 400"},
			{12, time.Millisecond, ""},
			{300, time.Second, "\rreading the sessions for their list: 300 of 400"},
			{400, time.Millisecond, "\r" + strings.Repeat(" ", 47) + "\r"},
		} {
			out.Reset()
			now = now.Add(step.after)
			if l.show(step.done, 400); out.String() != step.want {
				t.Errorf("%d: %q, want %q", step.done, out.String(), step.want)
			}
		}
	}
	out.Reset()
	if l.show(0, 5); out.String() != "" {
		t.Errorf("%q at once", out.String())
	}
	if l.show(5, 5); out.String() != "" {
		t.Errorf("%q after work that was short", out.String())
	}
}
