package tool

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tool/workspacetest"
)

func TestGrepFiles(t *testing.T) {
	outside := workspacetest.TempDir(t)
	workspacetest.Lay(t, outside, map[string]string{"o.go": "needle\n", ".git/x": "needle"})
	w := workspacetest.New(t, searchTree, "state")
	tests := []struct {
		in   in
		want string // lines, space separated
	}{
		{in{}, `.hidden/h.go a.go caps/[x]/bracketed.go caps/lower.go keep.log sub/app.log sub/b.ts sub/build/in.go sub/deep/x_test.go vendor/v.go "we\nird.go"`},
		{in{"glob": "*.go"}, `.hidden/h.go a.go caps/[x]/bracketed.go caps/lower.go sub/build/in.go sub/deep/x_test.go vendor/v.go "we\nird.go"`},
		{in{"glob": "*.{ts,tsx}"}, "sub/b.ts"},
		{in{"glob": "sub/**/*.go"}, "sub/build/in.go sub/deep/x_test.go"},
		{in{"glob": "./sub/*"}, "sub/app.log sub/b.ts"},
		{in{"glob": ".hidden/*"}, ".hidden/h.go"},
		{in{"glob": "/sub/*.ts"}, "sub/b.ts"},
		{in{"path": "sub", "glob": "**/*.go"}, "sub/build/in.go sub/deep/x_test.go"},
		{in{"path": "a.go"}, "a.go"},
		{in{"path": "app.log"}, "app.log"},
		{in{"path": "node_modules"}, "node_modules/m/m.go"},
		{in{"path": "sub", "ignored": true}, "sub/app.log sub/b.ts sub/build/in.go sub/deep/private.go sub/deep/x_test.go"},
		{in{"path": "caps", "ignore_case": true}, "caps/UPPER.go caps/[x]/bracketed.go caps/lower.go"},
		{in{"path": outside}, outside + "/o.go"},
		{in{"path": "state"}, "state/secret.go"},
		{in{"path": "caps", "mode": "count"}, "caps/[x]/bracketed.go:1 caps/lower.go:1"},
		{in{"path": "a-b.go"}, ""},
		{in{"path": "bin"}, ""},
	}
	for _, test := range tests {
		test.in["pattern"] = "needle"
		got := runTool(t, w, Grep(), test.in)
		want := "no matches"
		if test.want != "" {
			want = strings.ReplaceAll(test.want, " ", "\n") + "\n"
		}
		if got.IsError || got.Text != want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, want)
		}
	}
}

func TestGrepContent(t *testing.T) {
	w := workspacetest.New(t, map[string]string{
		"f": "one\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten",
		"g": "a two\r\nb\r\n\r\n\xff two\r\n",
	})
	tests := []struct {
		in   in
		want string // lines, "|" separated
	}{
		{in{"pattern": "two"}, "f:2:two|g:1:a two|g:4:\uFFFD two"},
		{in{"pattern": "two$"}, "f:2:two|g:1:a two|g:4:\uFFFD two"},
		{in{"pattern": "^$"}, "g:3:"},
		{in{"pattern": `^\s*$`}, "g:3:"},
		{in{"pattern": `\Atwo\z`}, "f:2:two"},
		{in{"pattern": `n$`, "path": "f"}, "f:7:seven|f:10:ten"},
		{in{"pattern": "t[^z]*", "path": "f"}, "f:2:two|f:3:three|f:8:eight|f:10:ten"},
		{in{"pattern": "two", "line_numbers": false, "path": "f"}, "f:two"},
		{in{"pattern": "four|six|ten", "path": "f", "context": 1}, "f-3-three|f:4:four|f-5-five|f:6:six|f-7-seven|--|f-9-nine|f:10:ten"},
		{in{"pattern": "two|five", "path": "f", "after": 1}, "f:2:two|f-3-three|--|f:5:five|f-6-six"},
		{in{"pattern": "one|ten", "path": "f", "before": 1}, "f:1:one|--|f-9-nine|f:10:ten"},
		{in{"pattern": "two|three", "path": "f", "before": 1, "context": 0}, "f-1-one|f:2:two|f:3:three"},
		{in{"pattern": "two", "after": 1}, "f:2:two|f-3-three|--|g:1:a two|g-2-b|--|g:4:\uFFFD two"},
		{in{"pattern": "e", "path": "f", "head_limit": 2}, "f:1:one|f:3:three|[2 of 7 matches in 1 file shown: narrow the search]"},
		{in{"pattern": "one|two", "path": "f", "head_limit": 2}, "f:1:one|f:2:two"},
		{in{"pattern": "two.three", "multiline": true}, "f:2:two|f:3:three"},
		{in{"pattern": `two\n+three`, "multiline": true, "context": 1}, "f-1-one|f:2:two|f:3:three|f-4-four"},
		{in{"pattern": `(?-s)t.o$`, "multiline": true, "path": "f"}, "f:2:two"},
		{in{"pattern": "[ot]", "multiline": true, "path": "f", "head_limit": 3}, "f:1:one|f:2:two|f:3:three|[3 of 6 matches in 1 file shown: narrow the search]"},
		{in{"pattern": "one|x*", "multiline": true, "path": "f", "head_limit": 1}, "f:1:one|[1 of 10 matches in 1 file shown: narrow the search]"},
		{in{"pattern": `\Aone`, "multiline": true}, "f:1:one"},
		{in{"pattern": `^t`, "multiline": true}, "f:2:two|f:3:three|f:10:ten"},
		{in{"pattern": "TWO", "ignore_case": true, "path": "f"}, "f:2:two"},
		{in{"pattern": `two\nthree`}, "!the pattern contains a newline: set multiline to match across lines"},
		{in{"pattern": `[\n]`}, "!the pattern contains a newline: set multiline to match across lines"},
		{in{"pattern": "two\x00"}, "no matches"},
	}
	for _, test := range tests {
		test.in["mode"] = "content"
		got := runTool(t, w, Grep(), test.in)
		want, isError := strings.CutPrefix(test.want, "!")
		if !isError && want != "no matches" {
			want = strings.ReplaceAll(want, "|", "\n") + "\n"
		}
		if got.IsError != isError || got.Text != want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, want)
		}
	}
}

func TestGrepRefuses(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"f": "x\n"})
	tests := []struct {
		in   in
		want string
	}{
		{in{"pattern": "foo("}, `the pattern "foo(" is not valid (missing closing ): foo(); put \ before a character that is meant literally`},
		{in{"pattern": "(?=x)"}, `the pattern "(?=x)" is not valid (invalid or unsupported Perl syntax: (?=); the syntax is RE2, which has no lookaround and no backreferences`},
		{in{"pattern": `(x)\1`}, `the pattern "(x)\\1" is not valid (invalid escape sequence: \1); the syntax is RE2, which has no lookaround and no backreferences`},
		{in{"pattern": strings.Repeat("x", 10_001)}, "the pattern is too long: 10001 bytes"},
		{in{"pattern": "x", "glob": "{a"}, `the glob pattern "{a" is not valid: check its brackets and braces`},
		{in{"pattern": "x", "path": "g"}, "cannot search g: it does not exist; the same folder has f"},
	}
	for _, test := range tests {
		if got := runTool(t, w, Grep(), test.in); !got.IsError || got.Text != test.want {
			t.Errorf("%v:\ngot  %q\nwant %q", test.in, got.Text, test.want)
		}
	}
}

func TestGrepCutsLongLines(t *testing.T) {
	line := strings.Repeat("é", 3000) + "needle" + strings.Repeat("ö", 3000)
	w := workspacetest.New(t, map[string]string{"f": line + "\nneedle" + line + "\n"})
	got := runTool(t, w, Grep(), in{"pattern": "needle", "mode": "content"})
	want := "f:1:…" + strings.Repeat("é", 100) + "needle" + strings.Repeat("ö", 397) + "… [cut: the line has 12006 bytes]\n" +
		"f:2:needle" + strings.Repeat("é", 497) + "… [cut: the line has 12012 bytes]\n"
	if got.Text != want {
		t.Errorf("got  %q\nwant %q", got.Text, want)
	}
}

// However much matches, a result fits, in the order of the paths, and the same every time.
func TestGrepIsCapped(t *testing.T) {
	files := map[string]string{}
	for i := range 300 {
		files[fmt.Sprintf("%d/%03d", i%7, i)] = strings.Repeat(strings.Repeat("x", 90)+"\n", 20)
	}
	names := slices.Sorted(maps.Keys(files))
	w := workspacetest.New(t, files)
	for _, limit := range []int{50, 5000, 1 << 62} {
		got := runTool(t, w, Grep(), in{"pattern": "x", "mode": "content", "head_limit": limit})
		lines := strings.Split(strings.TrimSuffix(got.Text, "\n"), "\n")
		note := fmt.Sprintf("[%d of 6000 matches in 300 files shown: narrow the search]", len(lines)-1)
		if len(got.Text) > 30<<10 || len(lines)-1 > limit || lines[len(lines)-1] != note {
			t.Errorf("limit %d: %d bytes, last line %q", limit, len(got.Text), lines[len(lines)-1])
		}
		for i := range lines[:len(lines)-1] {
			if want := fmt.Sprintf("%s:%d:", names[i/20], i%20+1); !strings.HasPrefix(lines[i], want) {
				t.Fatalf("line %d is %.20q, want %q", i, lines[i], want)
			}
		}
	}
}

// TestGrepCountsUpTo: matches that are not shown are counted up to a limit.
func TestGrepCountsUpTo(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	many := strings.Repeat("x\n", 60_000)
	w := workspacetest.New(t, map[string]string{"a": many, "b": many, "c": many})
	for mode, want := range map[string]string{
		"content":            "a:1:x\n[1 of more than 100000 matches shown: narrow the search]\n",
		"count":              "a:60000\n[1 of 3 files shown: narrow the search]\n",
		"files_with_matches": "a\n[1 of 3 files shown: narrow the search]\n",
	} {
		if got := runTool(t, w, Grep(), in{"pattern": "x", "mode": mode, "head_limit": 1}).Text; got != want {
			t.Errorf("%s: %q, want %q", mode, got, want)
		}
	}
}

func TestGrepReportsWhatItSkipped(t *testing.T) {
	w := workspacetest.New(t, map[string]string{"a": "needle\n", "huge": strings.Repeat("needle\n", sniffed)})
	if err := os.Truncate(filepath.Join(w.Dir(), "huge"), maxSearched+1); err != nil {
		t.Fatal(err)
	}
	got := runTool(t, w, Grep(), in{"pattern": "needle"})
	if want := "a\n[1 file could not be searched]\n"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
}

// A text larger than what is searched at once is searched as if it were one.
func TestGrepLargeFile(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	var text strings.Builder
	for i := 0; text.Len() < 3*maxPiece; i++ {
		text.WriteString(strings.Repeat("x", i%97) + []string{"", "a", "ab\r", "needle"}[i%4] + "\n")
	}
	text.WriteString("last needle")
	w := workspacetest.New(t, map[string]string{"f": text.String()})
	lines := strings.Split(text.String(), "\n")
	for pattern, matches := range map[string]func(string) bool{
		"needle": func(line string) bool { return strings.Contains(line, "needle") },
		"^$":     func(line string) bool { return line == "" },
		"b$":     func(line string) bool { return strings.HasSuffix(strings.TrimSuffix(line, "\r"), "b") },
		"^[^x]":  func(line string) bool { return line != "" && line[0] != 'x' },
		"":       func(string) bool { return true },
	} {
		want := 0
		for _, line := range lines {
			if matches(line) {
				want++
			}
		}
		got := runTool(t, w, Grep(), in{"pattern": pattern, "mode": "count"})
		if got.Text != fmt.Sprintf("f:%d\n", want) {
			t.Errorf("%q: got %q, want %d", pattern, got.Text, want)
		}
	}
}
