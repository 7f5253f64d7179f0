package appserver

import "testing"

// TestQuestions: an answer counts once, and a question that is settled can be named until it is dropped.
func TestQuestions(t *testing.T) {
	q := NewQuestions[string](7)
	first, second := q.Add("a"), q.Add("b")
	if first != "7" || second != "8" {
		t.Fatalf("the ids are %s and %s", first, second)
	}
	if about, ok := q.Take(first); !ok || about != "a" {
		t.Errorf("took %q, %t", about, ok)
	}
	if _, ok := q.Take(first); ok {
		t.Error("a second answer counts")
	}
	if id, ok := q.Drop("a"); !ok || id != first {
		t.Errorf("dropped %s, %t", id, ok)
	}
	if _, ok := q.Drop("a"); ok {
		t.Error("dropped twice")
	}
	if id, ok := q.Drop("b"); !ok || id != second {
		t.Errorf("dropped %s, %t", id, ok)
	}
	if _, ok := q.Take(second); ok {
		t.Error("an answer to what was settled counts")
	}
}
