package pisces

import (
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A command that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"type":"nothing"}`,
	Want: []string{`{"type":"response","command":"nothing","success":false,"error":"Unknown command: nothing"}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"pisces", "--mode", "rpc"}, Binary: transcript.BuildConsole(t), Again: true, Probe: probe,
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds
// each line to the rules of order, see checker, and to the schema.
func TestTranscriptsInProcess(t *testing.T) {
	exits := map[string]int{"HUP": 129, "INT": 130, "TERM": 143}
	all := dialecttest.Transcripts(t)
	for _, path := range slices.Sorted(maps.Keys(all)) {
		code := 0
		for _, f := range all[path].Files {
			if _, sent, found := strings.Cut(string(f.Data), "! signal "); found {
				name, _, _ := strings.Cut(sent, "\n")
				code = exits[name]
			}
		}
		transcript.Run(t, transcript.Options{
			Glob: path, Args: []string{"pisces", "--mode", "rpc"}, Serve: watched{t, code, true}.serve, Probe: probe,
		})
	}
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }

// TestTranscriptsAskEverything wants each command in some dialogue.
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
	for _, name := range slices.Sorted(maps.Keys(commands.Get())) {
		if !strings.Contains(sent.String(), `"type":"`+name+`"`) {
			t.Errorf("no dialogue sends %s", name)
		}
	}
}

// TestExtensionTranscripts plays dialogues with extensions, where there is something to run
// them, and holds each line to the schema.
func TestExtensionTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	if _, err := exec.LookPath("node"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal("there is no Node.js, and it is needed in CI")
		}
		t.Skip("there is no Node.js")
	}
	transcript.Run(t, transcript.Options{
		Glob: "testdata/extensions/*.txtar", Args: []string{"pisces", "--mode", "rpc"}, Serve: fitted{t, transcript.Build(t)}.serve, Probe: probe,
	})
}
