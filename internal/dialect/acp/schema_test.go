package acp

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/dialecttest"
)

func TestSchemaIsCheckedIn(t *testing.T) { dialecttest.CheckedIn(t, "acp", Schema) }

// TestSchemaHasEverything compares the tables with protocol*.go itself: every struct is in them, and every word of each set.
func TestSchemaHasEverything(t *testing.T) {
	structs, constants := dialecttest.Declared(t)
	var declared, tabled []string
	for _, s := range structs {
		if s.Package == "acp" { // not of version 2
			declared = append(declared, s.Name)
		}
	}
	for _, n := range allTypes() {
		if n.Name() != "ErrorData" { // errors.go has it
			tabled = append(tabled, n.Name())
		}
	}
	slices.Sort(declared)
	slices.Sort(tabled)
	if diff := cmp.Diff(declared, tabled); diff != "" {
		t.Errorf("structs (-protocol*.go +schema_types.go)\n%s", diff)
	}
	words, tabledWords := map[string][]string{}, map[string][]string{}
	for _, c := range constants {
		words[c.Type] = append(words[c.Type], c.Value)
	}
	for n, values := range wordTypes.Get() {
		tabledWords[n.Name()] = values
	}
	if diff := cmp.Diff(words, tabledWords); diff != "" {
		t.Errorf("words (-protocol*.go +schema_types.go)\n%s", diff)
	}
}

// TestSchemaHasEveryMethod compares the tables with that of the methods.
func TestSchemaHasEveryMethod(t *testing.T) {
	var tabled []string
	for _, c := range append(slices.Clone(clientRequests.Get()), clientNotifications.Get()...) {
		tabled = append(tabled, c.method)
	}
	names := methods1.Get().params.Names()
	slices.Sort(tabled)
	slices.Sort(names)
	if diff := cmp.Diff(names, tabled); diff != "" {
		t.Errorf("methods (-methods.go +schema_types.go)\n%s", diff)
	}
}
