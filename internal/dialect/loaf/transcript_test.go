package loaf

import (
	"fmt"
	"os"
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

// A method that there is not is refused at once, and changes nothing.
var probe = transcript.Probe{
	Send: `{"jsonrpc":"2.0","id":"quiet","method":"nothing"}`,
	Want: []string{`{"jsonrpc":"2.0","id":"quiet","error":{"code":-32601,"message":"method not found: nothing","data":{"reason":"method_not_found","method":"nothing"}}}`},
}

// TestTranscripts plays every dialogue with the program as it is shipped, over pipes.
func TestTranscripts(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"loaf", "rpc"}, Binary: transcript.Build(t), Probe: probe,
	})
}

// TestTranscriptsInProcess plays them where the race detector sees everything, and holds
// each line that comes to the rules of order; see checker.
func TestTranscriptsInProcess(t *testing.T) {
	transcript.Run(t, transcript.Options{
		Glob: "testdata/*.txtar", Args: []string{"loaf", "rpc"}, Serve: watched{t}.serve, Probe: probe,
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

// TestTranscriptsAskEverything wants each method, and each slash command, in some dialogue.
func TestTranscriptsAskEverything(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	var sent strings.Builder
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(data)) {
			if strings.HasPrefix(line, "> ") {
				sent.WriteString(line)
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
