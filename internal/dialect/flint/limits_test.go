package flint

import (
	"fmt"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
)

// TestLongOutput: an item has the first MiB of what a command said, deltas and text alike.
func TestLongOutput(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), `call shell {"command":"echo first; yes é | head -c 3000000; echo last"}`+"\nnext\nexpect (?s)^first.*last\ntext Much.\n")
	c := p.open(t)
	c.begin(c.start(`{"approvalPolicy":"never","sandbox":"dangerFullAccess"}`), "")
	list, status := items(t, c.finish("decline"))
	if status != "completed" || len(list) != 3 {
		t.Fatalf("%s, %d items", status, len(list))
	}
	output := list[1].Output
	if n := len(output); n > 1<<20 || n < 1<<20-1000 || !strings.HasPrefix(output, "first\né\n") || !strings.HasSuffix(output, "\n… output truncated\n") {
		t.Errorf("%d bytes: %.20q … %q", n, output, output[max(0, n-40):])
	}
	c.end()
}

// TestLongDiff: the diff of a file of more than 1 MiB is whole.
func TestLongDiff(t *testing.T) {
	t.Parallel()
	content := strings.Repeat(strings.Repeat("x", 98)+`\n`, 15_000)
	p := newPlace(t, t.TempDir(), fmt.Sprintf("call write {\"path\":\"long\",\"content\":\"%s\"}\nnext\ntext Done.\n", content))
	c := p.open(t)
	c.begin(c.start(`{"approvalPolicy":"never"}`), "")
	list, _ := items(t, c.finish("decline"))
	diff := list[1].Changes[0].Diff
	if strings.Count(diff, "\n+x") != 15_000 || !strings.HasPrefix(diff, "--- /dev/null\n+++ b/long\n@@ -0,0 +1,15000 @@\n+xx") || !strings.HasSuffix(diff, "xx\n") {
		t.Errorf("%d bytes of diff: %.60q … %q", len(diff), diff, diff[max(0, len(diff)-40):])
	}
	c.end()
}

// TestDiffText: a diff that is not whole says so in its last line.
func TestDiffText(t *testing.T) {
	for want, change := range map[string]event.FileChange{
		"--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-1\n… diff truncated: 17 more lines\n": {Diff: "--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n-1\n", Cut: 17, Added: 9, Removed: 9},
		"… diff truncated: 5 more lines\n":                                         {Cut: 5, Added: 2},
		"… diff truncated: the file is too large to compare\n":                     {Added: 1 << 20},
		"Binary files differ\n":                                                    {},
	} {
		change.Path, change.Op, change.Existed = "f", event.Updated, true
		if got := diffText(change); got != want {
			t.Errorf("%+v: %q, want %q", change, got, want)
		}
	}
}

// TestCompaction: where the context is full the older history is summed up, which is an item.
func TestCompaction(t *testing.T) {
	t.Parallel()
	p := newPlace(t, t.TempDir(), "repeat 9000 text \"word \"\nnext\ntext Words were said.\nnext\ntext Here.\n")
	c := p.open(t)
	thread := c.start(`{"model":"local/some-model"}`)
	c.begin(thread, "")
	c.finish("decline")
	c.begin(thread, `,"config":{"context_length":"8192"}`)
	list, status := items(t, c.finish("decline"))
	if status != "completed" || len(list) != 3 || list[1].Type != "contextCompaction" || list[1].Text == "" || list[2].Text != "Here." {
		t.Errorf("%s: %v", status, list)
	}
	c.end()
}
