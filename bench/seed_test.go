package main

import (
	"testing"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
)

// TestSeeds: what is written for programs to read is what they would have written themselves.
func TestSeeds(t *testing.T) {
	var s seeds
	p, id, err := s.journal(t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	store, err := file.Open(p.state(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	records := 0
	for _, err := range store.Read(t.Context(), "20260101-000000-abcdef", 0) {
		if err != nil {
			t.Fatal(err)
		}
		records++
	}
	if id != seedID || records < 100 {
		t.Errorf("%d records of %s", records, id)
	}

	p, err = s.many(t.TempDir(), 30)
	if err != nil {
		t.Fatal(err)
	}
	list, err := file.Open(p.state(), file.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer list.Close()
	page, err := list.List(t.Context(), journal.Query{Limit: 10, Count: true})
	if err != nil || page.Total != 30 || page.Sessions[0].Name != "Session 29" {
		t.Fatalf("%d sessions, %v", page.Total, err)
	}
	for rec, err := range list.Read(t.Context(), page.Sessions[0].ID, 0) { // its hash is right
		if err != nil || rec.Seq != 1 {
			t.Errorf("%v, %v", rec, err)
		}
	}
}
