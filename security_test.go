package parley_test

import (
	"go/ast"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

// testName is a test as SECURITY.md names it.
var testName = regexp.MustCompile("`((?:Test|Fuzz)[A-Z][A-Za-z0-9_]*)`")

// TestSecurityClaims: every test that SECURITY.md names exists, and every row of its tables but the
// last names one.
func TestSecurityClaims(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	text, err := os.ReadFile("SECURITY.md")
	if err != nil {
		t.Fatal(err)
	}
	claims, _, _ := strings.Cut(string(text), "## What does not hold")
	for _, finding := range unshown("SECURITY.md", claims, "| shown by |", testsIn(moduleSource(t))) {
		t.Error(finding)
	}
}

// TestFaultClaims: the same of the tables of docs/faults.md that name tests, which are those after the matrix.
func TestFaultClaims(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	text, err := os.ReadFile("docs/faults.md")
	if err != nil {
		t.Fatal(err)
	}
	_, claims, found := strings.Cut(string(text), "## Hosts, and what is around them")
	if !found {
		t.Fatal("docs/faults.md has no faults of hosts")
	}
	for _, finding := range unshown("docs/faults.md", claims, "| test |", testsIn(moduleSource(t))) {
		t.Error(finding)
	}
}

// testsIn is the names of all tests and fuzz targets.
func testsIn(files []file) (names []string) {
	for _, f := range files {
		if !f.isTest() {
			continue
		}
		for _, d := range f.tree.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil {
				names = append(names, fn.Name.Name)
			}
		}
	}
	return names
}

// unshown is what is claimed on a page without a test. The heads of its tables have the column.
func unshown(page, claims, column string, tests []string) (findings []string) {
	named := 0
	for line := range strings.Lines(claims) {
		found := testName.FindAllStringSubmatch(line, -1)
		named += len(found)
		for _, name := range found {
			if !slices.Contains(tests, name[1]) {
				findings = append(findings, page+" names "+name[1]+", which is no test")
			}
		}
		if claim := strings.HasPrefix(line, "| ") && strings.Count(line, "|") > 3; claim && len(found) == 0 && !strings.Contains(line, column) {
			findings = append(findings, page+" claims without a test: "+strings.TrimSpace(line))
		}
	}
	if named == 0 {
		findings = append(findings, page+" names no test")
	}
	return findings
}

func TestUnshown(t *testing.T) {
	head := "| what | held | shown by |\n|---|---|---|\n"
	for text, want := range map[string]string{
		head + "| a | b | `TestA`, `FuzzB` |\n":     "",
		head + "| a | b | `TestA`, `TestGone` |\n":  "SECURITY.md names TestGone, which is no test",
		head + "| a | b | |\n| a | b | `TestA` |\n": "SECURITY.md claims without a test: | a | b | |",
		head: "SECURITY.md names no test",
	} {
		if got := strings.Join(unshown("SECURITY.md", text, "| shown by |", []string{"TestA", "FuzzB"}), "\n"); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
