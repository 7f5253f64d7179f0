package engine

import (
	"strings"
	"testing"
)

func TestWriteMarkdown(t *testing.T) {
	b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c", "look", `{"text":"a ~~~ b"}`)), say("Done with ```go\nx\n```."))
	s := b.session(t, nil)
	ended(t, turnOf(t, s, "look", nil))
	var out strings.Builder
	if err := WriteMarkdown(&out, s.Records(t.Context())); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"# Session ", "## User\n\nlook", "### Tool `look`", "Result (succeeded):\n\n```\nseen\n```", "## Assistant\n\nDone with"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got := fenced("a ```` b"); !strings.HasPrefix(got, "`````\n") {
		t.Errorf("the fence can be broken: %s", got)
	}
}
