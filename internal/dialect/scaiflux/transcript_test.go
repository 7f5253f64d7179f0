package scaiflux

import (
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// The answer to a harmless command comes after everything that was there before it.
var probe = transcript.Probe{
	Send: `{"type":"slash","command":"version"}`,
	Want: []string{`{"type":"slash_result","command":"version",*`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"scaiflux"}, Binary: transcript.Build(t), Again: true, Probe: probe,
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"scaiflux"}, Serve: serveInProcess, Probe: probe,
	})
}

// TestTranscriptsAreSound holds the dialogues themselves to the closed schema and the
// ordering rules, so that no transcript can bless a line that a strict controller refuses.
func TestTranscriptsAreSound(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for path, archive := range dialecttest.Transcripts(t) {
		for _, f := range archive.Files {
			if f.Name == "wire" {
				checkWire(t, path, string(f.Data))
			}
		}
	}
}

func checkWire(t *testing.T, path, wire string) {
	t.Helper()
	r := newReader()
	for line := range strings.Lines(wire) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "restart") {
			r = newReader()
		}
		if text, ok := strings.CutPrefix(line, ">! "); ok {
			if _, refused := decode([]byte(text)); refused == nil {
				t.Errorf("%s: %s is not refused", path, text)
			}
		}
		text, ok := strings.CutPrefix(line, "< ")
		if !ok || text == "EOF" || strings.HasSuffix(text, ",*") {
			continue
		}
		if err := r.line([]byte(filled(text))); err != nil {
			t.Errorf("%s: %s\n%v", path, text, err)
		}
	}
}

// filled returns an expected line with values in place of the wildcards that are no strings.
func filled(line string) string {
	for pattern, value := range map[string]string{
		`"(duration_s|input_tokens|output_tokens|context_pct|context_window|max_tokens)":"[*]"`: `"$1":1`,
		`"(tools|gadgets)":"[*]"`:         `"$1":["x"]`,
		`"(data|tool_input|input)":"[*]"`: `"$1":{}`,
	} {
		line = regexp.MustCompile(pattern).ReplaceAllString(line, value)
	}
	return line
}
