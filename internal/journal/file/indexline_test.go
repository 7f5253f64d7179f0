package file

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/journal"
)

// TestIndexLine: a session is read from its line as it was written, with each of its fields.
func TestIndexLine(t *testing.T) {
	var want journal.Summary
	fields := reflect.ValueOf(&want).Elem()
	for i := range fields.NumField() {
		switch f := fields.Field(i); f.Kind() {
		case reflect.String:
			f.SetString("\\" + fields.Type().Field(i).Name + " \\t\t\n\\n\\\\é\x00")
		case reflect.Bool:
			f.SetBool(true)
		case reflect.Int:
			f.SetInt(int64(i))
		case reflect.Float64:
			f.SetFloat(float64(i) / 3)
		default:
			f.Set(reflect.ValueOf(time.Date(2026, 11, 30, i, 2, 3, 4000+i, time.UTC)))
		}
	}
	for _, want := range []journal.Summary{want, {ID: "x"}} {
		line := string(appendSummary(nil, want))
		var got journal.Summary
		if err := parseSummary(line[1:], &got); err != nil || strings.Contains(line, "\n") {
			t.Fatalf("%q: %v", line, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("-want +got:\n%s", diff)
		}
	}
}

// TestIndexIsRewritten: an index of which more than half is stale is replaced by a new file.
func TestIndexIsRewritten(t *testing.T) {
	s, err := Open(t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := makeFolder(s.sessions()); err != nil {
		t.Fatal(err)
	}
	name := strings.Repeat("x", 1000)
	replaced := 0
	for n := range 200 {
		if err := s.appendRecent(change{Summary: journal.Summary{ID: "s", Name: name, Turns: n}}); err != nil {
			t.Fatal(err)
		}
		before := ""
		if s.index != nil && s.index.table != nil {
			before = s.index.table.header
		}
		if err := s.useIndex(t.Context(), false, func(t2 *table) error {
			if t2.header != before {
				replaced++
			}
			if found := t2.sessions["s"]; found == nil && n > 0 || found != nil && found.Turns != n {
				t.Errorf("change %d: the index has %+v", n, found)
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		if size, err := sizeOf(s.index.path); err != nil || size > 2*minStale || size != s.index.table.size {
			t.Fatalf("change %d: the index has %d bytes, %v", n, size, err)
		}
	}
	if replaced < 3 || replaced > 6 {
		t.Errorf("the index was replaced %d times", replaced)
	}
}
