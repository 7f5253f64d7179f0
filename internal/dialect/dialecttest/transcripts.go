package dialecttest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"
	"go.uber.org/goleak"

	"parley.dev/parley/internal/transcript"
)

// transcriptsAtOnce is how many transcripts are played side by side.
const transcriptsAtOnce = 6

// Main runs the tests of a dialect, wants no goroutine left of them, and removes the program
// that they built.
func Main(m *testing.M) {
	transcript.AtOnce(transcriptsAtOnce)
	goleak.VerifyTestMain(m, goleak.Cleanup(func(code int) { os.Exit(transcript.RemoveBuild(code)) }))
}

// Transcripts returns the dialogues in testdata by their paths, each of which has to say in a
// sentence what it shows; a remark in brackets may come after it.
func Transcripts(t testing.TB) map[string]*txtar.Archive {
	t.Helper()
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatal("no transcripts", err)
	}
	all := map[string]*txtar.Archive{}
	for _, path := range paths {
		archive, err := txtar.ParseFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if title := strings.TrimRight(string(archive.Comment), ")\n"); !strings.HasSuffix(title, ".") && !strings.Contains(title, ". (") {
			t.Errorf("%s does not begin with a title sentence", path)
		}
		all[path] = archive
	}
	return all
}
