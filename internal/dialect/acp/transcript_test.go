package acp

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A method that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"jsonrpc":"2.0","id":"quiet","method":"_quiet"}`,
	Want: []string{`{"jsonrpc":"2.0","id":"quiet","error":{"code":-32601,"message":"Method not found","data":{"method":"_quiet"}}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"acp"}, Binary: transcript.Build(t), Again: true, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, holds each line to the official schema and to
// the order in which lines may come, and loads the sessions again.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"acp"}, Serve: officially(t, replaying(t, serveInProcess)), Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }
