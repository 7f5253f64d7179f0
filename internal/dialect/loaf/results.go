package loaf

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/lazy"
)

// results is what models read of some tools, in the words of the protocol.
var results = lazy.Value[map[string]func(input jsontext.Value, r engine.CallResult) engine.CallResult]{New: func() map[string]func(input jsontext.Value, r engine.CallResult) engine.CallResult {
	return map[string]func(input jsontext.Value, r engine.CallResult) engine.CallResult{
		"read_file":  readResult,
		"list_dir":   listResult,
		"grep_files": grepResult,
	}
}}

const lineLength = 500 // characters of a line of read_file

// readResult shows each line of a file after its number and cuts long ones.
func readResult(_ jsontext.Value, r engine.CallResult) engine.CallResult {
	if r.Failed || r.Folder {
		return r
	}
	r.Text = dialect.NumberedLines(r.Text, func(number int, text string) string {
		if short := firstRunes(text, lineLength); len(short) < len(text) {
			text = fmt.Sprintf("%s… [line cut here: %d characters are shown]", short, lineLength)
		}
		return fmt.Sprintf("L%d: %s", number, text)
	})
	return r
}

var (
	entrySize = lazy.Regexp{Expr: ` \(\d+ bytes\)$`}
	moreNames = lazy.Regexp{Expr: `^\[there are more names: .*\]$`}
)

// listResult shows the entries of a folder by name, each with the sign of its kind: / for a folder,
// @ for a symbolic link, ? for what is not a regular file.
func listResult(input jsontext.Value, r engine.CallResult) engine.CallResult {
	if r.Failed {
		return r
	}
	var in struct {
		Dir string `json:"dir_path"`
	}
	_ = json.Unmarshal(input, &in) // it fits the schema
	lines := []string{"Absolute path: " + in.Dir}
	if r.Text == "the folder is empty" {
		r.Text = "[the folder is empty]"
	}
	entries := 0
	for line := range strings.Lines(r.Text) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case moreNames.Get().MatchString(line):
			line = fmt.Sprintf("More than %d entries found", entries)
		case !isNote(line):
			line = entryName(line)
			entries++
		}
		lines = append(lines, line)
	}
	r.Text = strings.Join(lines, "\n") + "\n"
	return r
}

// isNote reports whether a line of a result is a note of the tool.
func isNote(line string) bool { return strings.HasPrefix(line, "[") && strings.HasSuffix(line, "]") }

// entryName returns the name in an entry of the tool that lists folders, with the sign of its kind.
func entryName(entry string) string {
	if size := entrySize.Get().FindString(entry); size != "" {
		return strings.TrimSuffix(entry, size)
	}
	if name, other := strings.CutSuffix(entry, " (not a regular file)"); other {
		return name + "?"
	}
	if name, _, link := strings.Cut(entry, " -> "); link {
		return name + "@"
	}
	return entry
}

// grepResult fails a whole search without a match, before the notes of the tool.
func grepResult(_ jsontext.Value, r engine.CallResult) engine.CallResult {
	if r.Failed || r.Matches == nil || r.Matches.Cut || len(r.Matches.Files) > 0 {
		return r
	}
	none := "No matches found."
	if r.Text != "no matches" {
		none += "\n" + r.Text
	}
	return engine.CallResult{Text: none, Failed: true}
}
