package parley_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

var (
	mdLink = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)]*)?\)`)
	mdRule = regexp.MustCompile(`^\|( *:?-+:? *\|)+$`)
)

// TestDocs: docs/README.md lists every page, links lead to files, and each column of a table has a
// head.
func TestDocs(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	pages, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range append(pages, "README.md", "CONTRIBUTING.md", "SECURITY.md", "ROUGH_EDGES.md", "examples/README.md") {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, link := range mdLink.FindAllStringSubmatch(string(text), -1) {
			if _, err := os.Stat(filepath.Join(filepath.Dir(page), link[1])); err != nil {
				t.Errorf("%s: a link leads to %s: %v", page, link[1], err)
			}
		}
		lines := strings.Split(string(text), "\n")
		for i, line := range lines {
			if i == 0 || !mdRule.MatchString(line) {
				continue
			}
			for _, head := range strings.Split(strings.Trim(lines[i-1], "|"), "|") {
				if strings.TrimSpace(head) == "" {
					t.Errorf("%s:%d: a column without a head: %s", page, i, lines[i-1])
				}
			}
		}
	}
	index, err := os.ReadFile("docs/README.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range pages {
		if name := filepath.Base(page); name != "README.md" && !strings.Contains(string(index), "("+name+")") {
			t.Errorf("docs/README.md does not list %s", name)
		}
	}
}
