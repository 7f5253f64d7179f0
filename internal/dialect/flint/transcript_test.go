package flint

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A method that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"id":"quiet","method":"nothing"}`,
	Want: []string{`{"id":"quiet","error":{"code":-32601,"message":"Method not found: nothing"}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"flint"}, Binary: transcript.Build(t), Again: true, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds
// each line that comes to the laws of items and turns; see checker.
func TestTranscriptsInProcess(t *testing.T) {
	laws := newLaws(t)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"flint"}, Serve: laws.serve, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }
