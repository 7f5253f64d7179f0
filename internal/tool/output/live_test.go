package output

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

func TestShellLiveGathers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shown := make(chan string, 10)
		live := newLive(func(text string) { shown <- text })
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			for _, text := range want {
				if len(shown) == 0 {
					t.Fatalf("%q is not shown", text)
				}
				if got := <-shown; got != text {
					t.Fatalf("%q, want %q", got, text)
				}
			}
			if len(shown) > 0 {
				t.Fatalf("%q is shown", <-shown)
			}
		}
		chunk := strings.Repeat("x", liveChunk)

		live.add([]byte("at once"))
		expect("at once")
		live.add([]byte("a"))
		live.add([]byte("b"))
		expect()
		time.Sleep(liveInterval)
		expect("ab")
		live.add([]byte("c"))
		expect()
		live.add([]byte(chunk))
		expect("c" + chunk)
		time.Sleep(2 * liveInterval)
		expect()
		live.add([]byte("at once again"))
		expect("at once again")
		live.add([]byte("last"))
		live.end()
		expect("last")
		live.add([]byte("too late"))
		time.Sleep(2 * liveInterval)
		expect()
	})
}

func TestShellLiveLimit(t *testing.T) {
	for name, pieces := range map[string][]string{
		"at once":   {strings.Repeat("€", liveLimit)},
		"exactly":   {strings.Repeat("x", liveLimit), "y"},
		"by and by": slices.Repeat([]string{"€€€"}, liveLimit/2),
	} {
		var shown strings.Builder
		live := newLive(func(text string) { shown.WriteString(text) })
		for _, piece := range pieces {
			live.add([]byte(piece))
		}
		live.end()
		text, ok := strings.CutSuffix(shown.String(), liveNote)
		if !ok || !strings.HasPrefix(strings.Join(pieces, ""), text) || len(text) > liveLimit || len(text) < liveLimit-2 {
			t.Errorf("%s: %d bytes, with note %t", name, len(text), ok)
		}
	}
}
