package highlight

import (
	"bytes"
	"flag"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/chroma/v2"
	library "github.com/alecthomas/chroma/v2/lexers" //nolint:depguard // a test may take the time to parse them all
)

var update = flag.Bool("update", false, "write the lexers anew")

// TestLexers holds the embedded lexers to those of the library's release in go.mod.
func TestLexers(t *testing.T) {
	for _, name := range slices.Compact(slices.Sorted(maps.Values(Languages))) {
		if name == "go" || name == Diff {
			continue // without a lexer of the library
		}
		lexer, ok := library.Get(name).(*chroma.RegexLexer)
		if !ok {
			t.Errorf("the library has no lexer %q of rules", name)
			continue
		}
		want, err := chroma.Marshal(lexer)
		if err != nil {
			t.Fatal(err)
		}
		file := "lexers/" + name + ".xml"
		got, err := os.ReadFile(file)
		if same := err == nil && slices.Equal(lines(got), lines(want)); same {
			continue
		}
		if !*update {
			t.Errorf("%s is not that of the library: run the test with -update", file)
		} else if err := os.WriteFile(file, append(want, '\n'), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// lines are those of a lexer, sorted: the library writes its states in any order.
func lines(xml []byte) []string {
	return slices.Sorted(strings.Lines(string(bytes.TrimSpace(xml)) + "\n"))
}
