package scaiflux

import (
	"os"
	"strings"
	"testing"
)

// The page on this dialect is for users who write controllers: what it shows has to be
// what is spoken, and nothing may be missing.

func TestDocumentedMessagesAreValid(t *testing.T) {
	inbound, outbound := part("Inbound"), part("Outbound")
	shown := 0
	for line := range strings.Lines(page(t)) {
		if !strings.HasPrefix(line, `{"type":`) {
			continue
		}
		shown++
		if in, out := inbound.FitsText(t, line), outbound.FitsText(t, line); in != nil && out != nil {
			t.Errorf("%sas inbound: %v\nas outbound: %v", line, in, out)
		}
	}
	if shown == 0 {
		t.Error("the page shows no message")
	}
}

func TestEverythingIsDocumented(t *testing.T) {
	text := page(t)
	var names []string
	for _, d := range directions() {
		for _, m := range d.messages {
			names = append(names, m.name)
		}
	}
	for _, c := range commands() {
		names = append(names, strings.TrimSpace(c.name+" "+strings.ReplaceAll(c.args, "|", `\|`)))
		names = append(names, c.aliases...)
	}
	for _, f := range failureCodes.Get() {
		names = append(names, f.code)
	}
	for _, tool := range shownTools.Get() {
		names = append(names, tool.Name)
	}
	for _, name := range names {
		if !strings.Contains(text, "`"+name+"`") {
			t.Errorf("`%s` is not in the page", name)
		}
	}
}

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../../docs/scaiflux.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
