package agentair

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A request that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"Quiet":{}}`,
	Want: []string{`{"Error":{"message":"Malformed input: unknown request ` + "`Quiet`" + `","session_id":null}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"agentair"}, Binary: transcript.Build(t), Again: true, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds
// each line that comes to the types of the page and the laws of turns; see checker.
func TestTranscriptsInProcess(t *testing.T) {
	w := watch{t}
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"agentair"}, Serve: w.serve, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }
