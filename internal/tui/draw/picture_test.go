package draw

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/ansi/kitty"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// TestPicture: an image is a line with its path and size, and above it the place where a terminal shows it.
func TestPicture(t *testing.T) {
	known := Picture{Bytes: 4321, Width: 400, Height: 200, ID: 258, Columns: 40, Rows: 10}
	item := conversation.Item{Key: "a", Kind: conversation.Lookup, Call: &conversation.Call{
		Name: "read", Summary: "read logo.png", Outcome: record.CallSucceeded,
		Images: []record.Image{{MIME: "image/png", Blob: "b"}},
	}}
	p := Picture{}
	o := Options{Picture: func(record.Image) Picture { return p }}
	d := New(Dark, o)
	if got := ansi.Strip(strings.Join(d.Lines(item, 80, false), "\n")); got != "• read logo.png\n  image logo.png" {
		t.Errorf("before it is known: %q", got)
	}
	p = known
	d = New(Dark, o)
	lines := d.Lines(item, 80, false)
	if len(lines) != 12 || ansi.Strip(lines[11]) != "  image logo.png 400×200 4 kB" {
		t.Fatalf("%q", lines)
	}
	for row, l := range lines[1:11] {
		want := "\x1b[38;2;0;1;2m" + string(kitty.Placeholder) + string(kitty.Diacritic(row)) + string(kitty.Diacritic(0))
		if !strings.Contains(l, want) || strings.Count(l, string(kitty.Placeholder)) != 40 || ansi.StringWidth(l) != 42 || ansi.StringWidthWc(l) != 42 {
			t.Errorf("row %d: %q, %d cells", row, l, ansi.StringWidth(l))
		}
	}
	d = New(Dark, o)
	if lines := d.Lines(item, 30, false); len(lines) != 2 {
		t.Errorf("a picture that is too wide: %q", lines)
	}
}

// TestOwn: an answer has the name of its client if that is another one, also if both have the same name.
func TestOwn(t *testing.T) {
	d := New(NoColour, Options{Name: "parley-tui", Own: func(id string) bool { return id == "ours" }})
	for _, test := range []struct{ id, name, by, want string }{
		{"ours", "parley-tui", "client", "✓ Allowed"},
		{"theirs", "parley-tui", "client", "✓ Allowed by parley-tui"},
		{"theirs", "phone", "client", "✓ Allowed by phone"},
		{"theirs", "", "policy", "✓ Allowed"},
	} {
		answer := &record.ApprovalAnswered{ID: test.id, Allowed: true, By: test.by, Client: record.Peer{N: 1, Name: test.name}}
		item := conversation.Item{Key: test.id + test.name, Kind: conversation.Approval, Approval: &conversation.Request{Answer: answer}}
		if got := strings.Join(d.Lines(item, 80, false), "\n"); got != test.want {
			t.Errorf("%+v: %q", test, got)
		}
	}
}
