package codex

import (
	"flag"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
)

var updateDocs = flag.Bool("update-docs", false, "write the table of methods into docs/codex.md")

const (
	docsFile  = "../../../docs/codex.md"
	docsBegin = "<!-- methods: go test ./internal/dialect/codex -run TestDocs -update-docs -->\n"
	docsEnd   = "<!-- end of methods -->\n"
)

// TestDocs holds the table of docs/codex.md to the methods of the schema.
func TestDocs(t *testing.T) {
	text, err := os.ReadFile(docsFile)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begins := strings.Cut(string(text), docsBegin)
	_, tail, ends := strings.Cut(rest, docsEnd)
	if !begins || !ends {
		t.Fatal("docs/codex.md has no place for the methods")
	}
	want := head + docsBegin + methodsTable() + docsEnd + tail
	if *updateDocs {
		if err := os.WriteFile(docsFile, []byte(want), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Error("docs/codex.md is not what the program serves: go test ./internal/dialect/codex -run TestDocs -update-docs")
	}
}

// methodsTable returns the methods as a table in Markdown, those that are served first.
func methodsTable() string {
	names := slices.SortedFunc(maps.Keys(schemaMethods.Get()), func(a, b string) int {
		if d := schemaMethods.Get()[a].tier - schemaMethods.Get()[b].tier; d != 0 {
			return d
		}
		return strings.Compare(a, b)
	})
	var table strings.Builder
	fmt.Fprintf(&table, "Schema %s: %d methods, %d served.\n\n| method | tier | here |\n|---|---|---|\n", schemaVersion, len(names), len(handlers()))
	for _, name := range names {
		m, state := schemaMethods.Get()[name], "refused"
		if _, ok := handlers()[name]; ok {
			state = "served"
		}
		if m.experimental {
			state += ", experimental"
		}
		fmt.Fprintf(&table, "| %s | %d | %s |\n", name, m.tier, state)
	}
	return table.String()
}
