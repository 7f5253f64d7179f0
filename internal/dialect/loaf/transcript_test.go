package loaf

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
	Want: []string{`{"jsonrpc":"2.0","id":"quiet","error":{"code":-32601,"message":"method not found: nothing","data":{"reason":"method_not_found","method":"nothing"}}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"loaf", "rpc"}, Binary: transcript.Build(t), Again: true, Probe: probe,
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds
// each line that comes to the rules of order; see checker.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"loaf", "rpc"}, Serve: watched{t: t}.serve, Probe: probe,
	})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }

// TestTranscriptsAskEverything wants each method, and each slash command, in some dialogue.
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
	for _, method := range methodNames() {
		if !strings.Contains(sent.String(), `"method":"`+method+`"`) {
			t.Errorf("no dialogue asks %s", method)
		}
	}
	for _, c := range commands {
		if !strings.Contains(strings.ToLower(sent.String()), `"raw_command":"`+c.Name) && !strings.Contains(strings.ToLower(sent.String()), `"raw_command":" `+c.Name) {
			t.Errorf("no dialogue has the command %s", c.Name)
		}
	}
}
