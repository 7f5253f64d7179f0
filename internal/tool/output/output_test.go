package output

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

// However the pipe cuts the bytes, runes stay whole.
func TestShellStreamSplits(t *testing.T) {
	const raw, want = "aé\x00日本\xffb🍐\xe2\x82", "aé\uFFFD日本\uFFFDb🍐\uFFFD"
	for first := range len(raw) + 1 {
		for second := first; second <= len(raw); second++ {
			var live strings.Builder
			o := New(func(text string) { live.WriteString(text) }, false, 16<<20)
			for _, piece := range []string{raw[:first], raw[first:second], raw[second:]} {
				if n, err := o.Stdout.Write([]byte(piece)); n != len(piece) || err != nil {
					t.Fatal(n, err)
				}
			}
			o.End()
			if text, _, _ := o.Cut(50 << 10); string(text) != want || live.String() != want {
				t.Fatalf("cut at %d and %d: %q, live %q", first, second, text, live.String())
			}
		}
	}
}

// TestShellOutputRoom: what one stream does not need of the limit the other gets.
func TestShellOutputRoom(t *testing.T) {
	for _, test := range []struct {
		name           string
		stdout, stderr int // bytes written
		omitted        bool
		least          int // bytes of the result
	}{
		{"stderr alone fits", 0, 1000, false, 1000},
		{"stderr alone is cut", 0, 2000, true, 900},
		{"stdout alone fits", 1000, 0, false, 1000},
		{"stdout is short", 100, 899, false, 1000},
		{"stdout is short and stderr is cut", 100, 2000, true, 900},
		{"stderr is short", 899, 100, false, 1000},
		{"both are cut", 2000, 2000, true, 850},
	} {
		t.Run(test.name, func(t *testing.T) {
			const limit = 1000
			o := New(func(string) {}, true, 16<<20)
			_, _ = o.Stdout.Write([]byte(strings.Repeat("o", test.stdout)))
			_, _ = o.Stderr.Write([]byte(strings.Repeat("e", test.stderr)))
			o.End()
			text, omitted, streams := o.Cut(limit)
			if len(text) > limit || len(text) < test.least || omitted > 0 != test.omitted {
				t.Errorf("%d bytes, %d omitted", len(text), omitted)
			}
			if streams.OmittedStdout+streams.OmittedStderr != omitted {
				t.Errorf("%+v omit %d together", streams, omitted)
			}
			run := event.ShellRun{Streams: streams, Note: "[end]"}
			stdout, stderr := run.Split(string(text) + run.Note)
			if strings.Count(stdout, "o")+int(streams.OmittedStdout) < test.stdout || strings.HasSuffix(stdout, "e") {
				t.Errorf("stdout is %q", stdout)
			}
			if strings.Count(stderr, "e")+int(streams.OmittedStderr) < test.stderr || strings.HasPrefix(stderr, "o") {
				t.Errorf("stderr is %q", stderr)
			}
		})
	}
}
