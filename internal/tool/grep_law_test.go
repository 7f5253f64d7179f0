package tool

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/tool/workspacetest"
)

// Over random trees, searching says what the plainest possible search says: every file in
// the order of the paths, every line by itself.
func TestGrepLaw(t *testing.T) {
	line := rapid.StringOfN(rapid.SampledFrom([]rune("aabB \té.")), 0, 6, -1)
	text := rapid.Custom(func(t *rapid.T) string {
		joined := strings.Join(rapid.SliceOfN(line, 0, 8).Draw(t, "lines"), "\n")
		if rapid.Bool().Draw(t, "ends") {
			joined += "\n"
		}
		return joined
	})
	name := rapid.SampledFrom([]string{"a", "a/b", "a-b", "b/a/c", "b", "b.c/d", "c"})
	pattern := rapid.SampledFrom([]string{
		"a", "ab", "b", "^a", "a$", "^$", "^", "$", "a.b", "a*", "(a|b)+B", "[^a]", `\s`, `\S\s`, `a\b`, `\Ba`,
		"é", ".", "x", `\Aa`, `b\z`, "(?i)ab", "a{2}", "a?b", "(ab){2,}", "^[^b]*$", "a|^$", `\pL+`,
	})
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{}
		for range rapid.IntRange(0, 6).Draw(rt, "files") {
			// Folders and files of one name cannot both be.
			if n := name.Draw(rt, "name"); len(n) != 1 {
				files[n+"/f"] = text.Draw(rt, "text")
			}
		}
		w := workspacetest.New(t, files)
		p, ignoreCase := pattern.Draw(rt, "pattern"), rapid.Bool().Draw(rt, "ignoreCase")
		before, after := rapid.IntRange(0, 2).Draw(rt, "before"), rapid.IntRange(0, 2).Draw(rt, "after")
		names, counts, contents := plainGrep(files, p, ignoreCase, before, after)
		for mode, want := range map[grepMode][]string{grepFiles: names, grepCount: counts, grepContent: contents} {
			got := runTool(t, w, Grep(), in{
				"pattern": p, "ignore_case": ignoreCase, "mode": string(mode), "before": before, "after": after,
			})
			lines := strings.Split(strings.TrimSuffix(got.Text, "\n"), "\n")
			if got.Text == "no matches" {
				lines = nil
			}
			if got.IsError || !slices.Equal(lines, want) {
				rt.Fatalf("%q %s in %q:\ngot  %q\nwant %q", p, mode, files, lines, want)
			}
		}
	})
}

// plainGrep returns the reference: the output lines of the three modes.
func plainGrep(files map[string]string, pattern string, ignoreCase bool, before, after int) (names, counts, contents []string) {
	if ignoreCase {
		pattern = "(?i)" + pattern
	}
	re := regexp.MustCompile(pattern)
	var paths []string
	for name := range files {
		paths = append(paths, path.Clean(name))
	}
	slices.Sort(paths)
	for _, name := range paths {
		lines := strings.Split(files[name], "\n")
		if lines[len(lines)-1] == "" {
			lines = lines[:len(lines)-1] // there is no line after the last newline
		}
		var hits []int
		for i, line := range lines {
			if re.MatchString(line) {
				hits = append(hits, i)
			}
		}
		if len(hits) == 0 {
			continue
		}
		names = append(names, name)
		counts = append(counts, fmt.Sprintf("%s:%d", name, len(hits)))
		last := -1
		for i, line := range lines {
			near := slices.ContainsFunc(hits, func(hit int) bool { return i >= hit-before && i <= hit+after })
			if !near {
				continue
			}
			if before+after > 0 && len(contents) > 0 && (last < 0 || i > last+1) {
				contents = append(contents, "--")
			}
			mark := "-"
			if slices.Contains(hits, i) {
				mark = ":"
			}
			contents = append(contents, fmt.Sprint(name, mark, i+1, mark, line))
			last = i
		}
	}
	return names, counts, contents
}

// What a pattern is said to require stands in everything it matches.
func TestRequiredLaw(t *testing.T) {
	for pattern, want := range map[string]string{
		"needle": "needle", "a.*needle": "needle", "(needle)+x": "needle", "(abc){2}": "abc", "(abc)*": "",
		"abc|abd": "ab", "(?i)abc": "", "func \\w+\\(": "func ", "^\\s*$": "", "\uFFFD": "", "a{0,2}": "",
	} {
		f, err := newFinder(pattern, false, false)
		if err != nil || string(f.literal) != want {
			t.Errorf("%s requires %q (%v), want %q", pattern, f.literal, err, want)
		}
	}
}
