package flint

import (
	"fmt"
	"strings"
	"testing"
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

// TestLongDiffs: a diff is cut behind a whole line; a file too large to compare has none.
func TestLongDiffs(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name       string
		lines      int // of 99 bytes
		least, end string
	}{
		{"whole", 10_000, "--- /dev/null\n+++ b/whole\n@@ -0,0 +1,10000 @@\n+xx", "xx\n"},
		{"cut", 10_500, "--- /dev/null\n+++ b/cut\n@@ -0,0 +1,10500 @@\n+xx", "xx\n" + cutDiff},
		{"huge", 12_000, cutDiff, cutDiff},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			content := strings.Repeat(strings.Repeat("x", 98)+`\n`, test.lines)
			p := newPlace(t, t.TempDir(), fmt.Sprintf("call write {\"path\":%q,\"content\":\"%s\"}\nnext\ntext Done.\n", test.name, content))
			c := p.open(t)
			c.begin(c.start(`{"approvalPolicy":"never"}`), "")
			list, _ := items(t, c.finish("decline"))
			diff := list[1].Changes[0].Diff
			if len(diff) > 1<<20 || !strings.HasPrefix(diff, test.least) || !strings.HasSuffix(diff, test.end) {
				t.Errorf("%d bytes of diff: %.60q … %q", len(diff), diff, diff[max(0, len(diff)-40):])
			}
			c.end()
		})
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
