package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tool/workspacetest"
)

func TestRead(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"small":      "alpha\n",
		"three":      "a\nb\nc",
		"crlf":       "\ufeffa\r\nb\r\n",
		"bytes":      "caf\xe9\n",
		"empty":      "",
		"control":    "a\x01b\x1b[0m\n",
		"late-nul":   strings.Repeat("x\n", sniffed) + "\x00\n",
		"prog":       "\x7fELF\x02\x01\x01\x00\x00",
		"utf16":      "\xff\xfeh\x00i\x00",
		"doc.pdf":    "%PDF-1.7\n%\xe2\xe3\xcf\xd3\n",
		"dir/":       "",
		"Makefile":   "all:\n",
		"main.go":    "package main\n",
		"main_ab.go": "package main\n",

		"src/deep/below.go":  "package deep\n",
		"vendor/left-out.go": "package vendor\n",
		".gitignore":         "vendor\n",
		"loop":               "-> small",
	})
	tests := []struct {
		in      in
		want    string
		isError bool
	}{
		{in: in{"path": "small", "line_numbers": false}, want: "alpha\n"},
		{in: in{"path": "small"}, want: "     1\talpha\n"},
		{in: in{"path": "loop"}, want: "     1\talpha\n"},
		{in: in{"path": "three"}, want: "     1\ta\n     2\tb\n     3\tc"},
		{in: in{"path": "three", "offset": 2, "limit": 1}, want: "     2\tb\n[line 2 of 3; go on with offset 3]\n"},
		{in: in{"path": "three", "offset": 0, "limit": 2}, want: "     1\ta\n     2\tb\n[lines 1 to 2 of 3; go on with offset 3]\n"},
		{in: in{"path": "three", "limit": 3}, want: "     1\ta\n     2\tb\n     3\tc"},
		{in: in{"path": "three", "offset": 3, "limit": 9, "line_numbers": false}, want: "c"},
		{in: in{"path": "three", "offset": 4}, want: "offset 4 is past the end: the file has 3 lines", isError: true},
		{in: in{"path": "crlf", "line_numbers": false}, want: "\ufeffa\r\nb\r\n"},
		{in: in{"path": "bytes", "line_numbers": false}, want: "caf\uFFFD\n"},
		{in: in{"path": "control", "line_numbers": false}, want: "a\x01b\x1b[0m\n"},
		{in: in{"path": "late-nul", "line_numbers": false, "offset": sniffed + 1}, want: "\x00\n"},
		{in: in{"path": "empty"}, want: "the file is empty"},
		{in: in{"path": "utf16"}, want: "utf16 is UTF-16 text, which is not shown: convert it, for example with `iconv -f UTF-16 -t UTF-8`", isError: true},
		{in: in{"path": "prog"}, want: "prog is a binary file (application/octet-stream, 9 bytes) and cannot be shown as text", isError: true},
		{in: in{"path": "doc.pdf"}, want: "doc.pdf is a binary file (application/pdf, 15 bytes) and cannot be shown as text", isError: true},
		{in: in{"path": "dir"}, want: "the folder is empty"},
		{in: in{"path": "main.rs"}, want: "cannot read main.rs: it does not exist; the same folder has main.go", isError: true},
		{in: in{"path": "main"}, want: "cannot read main: it does not exist; the same folder has main.go, main_ab.go", isError: true},
		{in: in{"path": "makefile"}, want: "cannot read makefile: it does not exist; the same folder has Makefile", isError: true},
		{in: in{"path": "below.go"}, want: "cannot read below.go: it does not exist; the workspace has src/deep/below.go", isError: true},
		{in: in{"path": "src/below.go"}, want: "cannot read src/below.go: it does not exist; the workspace has src/deep/below.go", isError: true},
		{in: in{"path": "no/below.go"}, want: "cannot read no/below.go: its folder no does not exist; the workspace has src/deep/below.go", isError: true},
		{in: in{"path": "left-out.go"}, want: "cannot read left-out.go: it does not exist", isError: true},
		{in: in{"path": "zzzzzz"}, want: "cannot read zzzzzz: it does not exist", isError: true},
		{in: in{"path": "no/where/x"}, want: "cannot read no/where/x: its folder no/where does not exist", isError: true},
	}
	for _, test := range tests {
		got := runTool(t, w, Read(), test.in)
		if got.Text != test.want || got.IsError != test.isError {
			t.Errorf("%v:\ngot  %q %v\nwant %q", test.in, got.Text, got.IsError, test.want)
		}
	}
}

// A file that just fits is shown whole; a longer one in pages that join to the whole.
func TestReadPages(t *testing.T) {
	line := strings.Repeat("é", 49) + "\n" // 99 bytes
	most := Limits{}.read()
	fits := strings.Repeat(line, most/99)
	fits += strings.Repeat("x", most-len(fits))
	w := workspacetest.New(t, map[string]string{"fits": fits, "long": strings.Repeat(line, 5000)})
	if got := runTool(t, w, Read(), in{"path": "fits", "line_numbers": false}); got.Text != fits {
		t.Errorf("%d bytes of %d", len(got.Text), len(fits))
	}
	var all strings.Builder
	offset, pages := 1, 0
	for ; ; pages++ {
		got := runTool(t, w, Read(), in{"path": "long", "offset": offset, "line_numbers": false})
		if got.IsError || len(got.Text) > most || !utf8.ValidString(got.Text) {
			t.Fatalf("offset %d: %v, %d bytes", offset, got.IsError, len(got.Text))
		}
		body, note, more := strings.Cut(got.Text, "[lines ")
		all.WriteString(body)
		if !more {
			break
		}
		var first, last, of int
		if _, err := fmt.Sscanf(note, "%d to %d of %d; go on with offset %d]\n", &first, &last, &of, &offset); err != nil || last+1 != offset || of != 5000 {
			t.Fatalf("note %q: %v", note, err)
		}
	}
	if all.String() != strings.Repeat(line, 5000) || pages < 4 {
		t.Errorf("%d pages hold %d bytes", pages, all.Len())
	}
}

// Without a limit 2000 lines are shown, and offsets count as the session's options say.
func TestReadLimits(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": strings.Repeat("x\n", 5000)})
	tests := []struct {
		zero bool
		in   in
		want string // the note; "": none
	}{
		{false, in{}, "[lines 1 to 2000 of 5000; go on with offset 2001]"},
		{false, in{"offset": 2001}, "[lines 2001 to 4000 of 5000; go on with offset 4001]"},
		{false, in{"offset": 4001}, ""},
		{false, in{"limit": 3000}, "[lines 1 to 3000 of 5000; go on with offset 3001]"},
		{true, in{}, "[lines 1 to 2000 of 5000; go on with offset 2000]"},
		{true, in{"offset": 2000, "limit": 1}, "[line 2001 of 5000; go on with offset 2001]"},
		{true, in{"offset": 5000}, "offset 5000 is past the end: the file has 5000 lines"},
	}
	for _, test := range tests {
		test.in["path"], test.in["line_numbers"] = "f", false
		input, err := json.Marshal(test.in)
		if err != nil {
			t.Fatal(err)
		}
		call, err := Read().Prepare(&Env{Workspace: w, ZeroOffsets: test.zero}, input)
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimLeft(call.Run(t.Context(), Hooks{}).Text, "x\n")
		if strings.TrimSuffix(text, "\n") != test.want {
			t.Errorf("%v, from zero %v: %q, want %q", test.in, test.zero, text, test.want)
		}
	}
}

func TestReadLongLines(t *testing.T) {
	long := "x" + strings.Repeat("é", 200_000) // a rune lies across the cut
	w := workspacetest.New(t, map[string]string{"f": "a\n" + long + "\nz\n", "one": strings.Repeat("x", 70<<10)})
	got := runTool(t, w, Read(), in{"path": "f"})
	first, rest, _ := strings.Cut(got.Text, "\n     2\t")
	shown, tail, _ := strings.Cut(rest, "…")
	if first != "     1\ta" || shown != long[:maxLine-1] || tail != " [line cut here: 383619 bytes more]\n     3\tz\n" {
		t.Errorf("got %q, %d bytes, %q", first, len(shown), tail)
	}
	got = runTool(t, w, Read(), in{"path": "one", "line_numbers": false})
	if want := strings.Repeat("x", maxLine) + "… [line cut here: 55296 bytes more]\n"; got.Text != want {
		t.Errorf("got %d bytes", len(got.Text))
	}
}

// A file of 8 GiB, nearly all of it a hole, is read in little memory and until it is cancelled.
func TestReadHugeFile(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	w := workspacetest.New(t, map[string]string{"huge": strings.Repeat("line\n", 100_000)})
	if err := os.Truncate(filepath.Join(w.Dir(), "huge"), 8<<30); err != nil {
		t.Fatal(err)
	}
	before := testing.AllocsPerRun(1, func() {
		got := runTool(t, w, Read(), in{"path": "huge", "offset": 50_001, "limit": 2})
		if got.Text != " 50001\tline\n 50002\tline\n[lines 50001 to 50002 of more than 100000; go on with offset 50003]\n" {
			t.Errorf("got %q", got.Text)
		}
	})
	if before > 1000 {
		t.Errorf("%.0f allocations", before)
	}
	call, err := prepareTool(t, w, Read(), in{"path": "huge", "offset": 1 << 40})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("the turn was interrupted"))
	if got := call.Run(ctx, Hooks{}); !got.IsError || !strings.Contains(got.Text, "the turn was interrupted") {
		t.Errorf("got %+v", got)
	}
}
