package pisces

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) {
		if err := transcript.RemoveBuild(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = max(code, 1)
		}
		os.Exit(code)
	}))
}

// A command that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"type":"nothing"}`,
	Want: []string{`{"type":"response","command":"nothing","success":false,"error":"Unknown command: nothing"}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"pisces", "--mode", "rpc"}, Binary: transcript.Build(t), Probe: probe,
	})
}

// TestTranscriptsAreTitled wants each dialogue to say in a sentence what it shows.
func TestTranscriptsAreTitled(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if title := strings.TrimRight(string(archive.Comment), ")\n"); !strings.HasSuffix(title, ".") {
			t.Errorf("%s does not begin with a title sentence", path)
		}
	}
}

// TestExtensionTranscripts plays dialogues with extensions, where there is something to run
// them.
func TestExtensionTranscripts(t *testing.T) {
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("there is no Node.js")
	}
	transcript.Run(t, transcript.Options{
		Glob: "testdata/extensions/*.txtar", Args: []string{"pisces", "--mode", "rpc"}, Binary: transcript.Build(t), Probe: probe,
	})
}
