package dialecttest

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/tool"
	"parley.dev/parley/internal/tool/workspace"
)

var moreNote = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\[lines (\d+) to (\d+) of (\d+); go on with offset (\d+)\]\n$`)
})

// CheckReads reads a file of 5000 lines with the tool of that name, following the notes at the end
// of each result. They have to lead to the end, with each line shown once. Member is the name of
// the path.
func CheckReads(t *testing.T, o engine.Options, name, member string) {
	t.Helper()
	b := Toolset{Bindings: o.Toolset}.Binding(t, name)
	own, _ := FindTool(b.Tool)
	dir := t.TempDir()
	w, err := workspace.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	var all strings.Builder
	for i := range 5000 {
		all.WriteString("<" + strconv.Itoa(i+1) + ">" + strings.Repeat("x", 20+i%13) + "\n")
	}
	path := filepath.Join(w.Dir(), "f")
	if err := os.WriteFile(path, []byte(all.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	env := &tool.Env{Workspace: w, Limits: o.ResultLimits, ZeroOffsets: o.ZeroOffsets}
	input, got := map[string]any{member: path}, ""
	for pages := 1; ; pages++ {
		raw, err := json.Marshal(input)
		if err == nil && b.Adapt != nil {
			raw, err = b.Adapt(raw)
		}
		if err != nil {
			t.Fatal(err)
		}
		call, err := own.Prepare(env, raw)
		if err != nil {
			t.Fatal(err)
		}
		text := call.Run(t.Context(), tool.Hooks{}).Text
		note := moreNote().FindStringSubmatch(text)
		got += numbers().ReplaceAllString(strings.TrimSuffix(text, strings.Join(note[:min(1, len(note))], "")), "")
		if note == nil {
			if pages < 2 {
				t.Error("a file of 5000 lines is one page")
			}
			break
		}
		if note[3] != "5000" || pages > 50 {
			t.Fatalf("page %d ends with %q", pages, note[0])
		}
		input["offset"], _ = strconv.Atoi(note[4])
	}
	if got != all.String() {
		t.Errorf("the pages have %d bytes, the file has %d", len(got), all.Len())
	}
}

var numbers = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^ *\d+\t`) })
