package codex

import (
	"context"
	"io"
	"testing"

	"parley.dev/parley/internal/dialect/codex/codextest"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { dialecttest.Main(m) }

// A method that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"id":"quiet","method":"nothing"}`,
	Want: []string{"{\"id\":\"quiet\",\"error\":{\"code\":-32600,\"message\":\"Invalid request: unknown method `nothing`\"}}"},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"codex", "app-server"}, Binary: transcript.Build(t), Again: true, Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestExecTranscripts plays runs of codex exec.
func TestExecTranscripts(t *testing.T) {
	racetest.Skip(t, racetest.BuiltProgram)
	transcript.Run(t, transcript.Options{
		Glob: "testdata/exec/*.txtar", Args: []string{"codex", "exec"}, Binary: transcript.Build(t), Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds each line to the published schema, and to that
// of what is spoken here.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"codex", "app-server"}, Serve: checked(t), Probe: probe, Confines: dialecttest.Confines(),
	})
}

// TestTranscriptsAreTitled wants each dialogue to have a sentence that names what it shows.
func TestTranscriptsAreTitled(t *testing.T) { dialecttest.Transcripts(t) }

// checked returns serveInProcess, whose lines are held to the published schema.
func checked(t *testing.T) dialecttest.Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		c := codextest.NewChecker()
		outbound := part("Outbound")
		received := func(line []byte) {
			c.Received(line)
			if err := outbound.FitsText(t, string(line)); err != nil {
				c.Problems = append(c.Problems, "parley schema codex: "+err.Error()+"\n\t"+string(line))
			}
		}
		return dialecttest.Tapped(serveInProcess, c.Sent, received, func(string) {
			dialecttest.Report(t, env, c.Problems)
		})(ctx, args, stdin, stdout, stderr, env)
	}
}
