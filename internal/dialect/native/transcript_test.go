package native

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A method that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"jsonrpc":"2.0","id":"quiet","method":"nothing"}`,
	Want: []string{`{"jsonrpc":"2.0","id":"quiet","error":{"code":-32601,"message":"there is no method nothing","data":{"kind":"no_method"}}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{Glob: "testdata/*.txtar", Args: []string{"rpc"}, Binary: transcript.BuildConsole(t), Again: true, Probe: probe})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and compares each line with the schema.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{Glob: "testdata/*.txtar", Args: []string{"rpc"}, Serve: checkedServe(t), Probe: probe})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }

// TestTranscriptsAskEverything wants each method in some dialogue.
func TestTranscriptsAskEverything(t *testing.T) {
	var sent strings.Builder
	for _, archive := range dialecttest.Transcripts(t) {
		for _, f := range archive.Files {
			for line := range strings.Lines(string(f.Data)) {
				if strings.HasPrefix(line, "> ") {
					sent.WriteString(line)
				}
			}
		}
	}
	for _, m := range methods() {
		if !ofTokens(m.name) && !strings.Contains(sent.String(), `"method":"`+m.name+`"`) {
			t.Errorf("no dialogue asks %s", m.name)
		}
	}
}
