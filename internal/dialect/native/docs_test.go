package native

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestDocumentedRoles: the table of requests in docs/native.md has each method with the role that it needs.
func TestDocumentedRoles(t *testing.T) {
	page, err := os.ReadFile("../../../docs/native.md")
	if err != nil {
		t.Fatal(err)
	}
	_, table, _ := strings.Cut(string(page), "| method | role |")
	table, _, _ = strings.Cut(table, "\n\n")
	documented := map[string]string{"initialize": "viewer"}
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 3 {
			continue
		}
		roles := strings.Fields(cells[2])
		for i, m := range regexp.MustCompile("`[^`]+`").FindAllString(cells[1], -1) {
			documented[strings.Trim(m, "`")] = roles[min(i, len(roles)-1)]
		}
	}
	for name := range allRights() {
		if got, want := documented[name], allRights().Level(name).String(); got != want {
			t.Errorf("%s needs %s, and docs/native.md has %q", name, want, got)
		}
		delete(documented, name)
	}
	for name := range documented {
		t.Errorf("docs/native.md has %s, and there is no such method", name)
	}
}
