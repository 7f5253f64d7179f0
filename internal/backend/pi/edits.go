package pi

import (
	"os"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/regular"
)

// editDetails is what the result of an edit has besides its text.
type editDetails struct {
	Diff string `json:"diff"`
}

// edits returns what a call has changed.
func (c *call) edits(details jsontext.Value) []backend.Edit {
	if len(c.known.request.Paths) != 1 {
		return nil
	}
	path := c.known.request.Paths[0]
	var d editDetails
	switch {
	case c.name == "edit" && decode(details, &d):
		return hunks(path, d.Diff)
	case c.name == "write" && c.gated && (c.absent.Load() || c.before.Load() != nil):
		return []backend.Edit{{Path: path, Before: c.before.Load(), After: c.known.content}}
	}
	return nil
}

// hunks returns the parts of a file that a diff of pi shows. Each line has a sign, the number of the line, a blank and its text;
// between parts is a line of dots.
func hunks(path, diff string) (all []backend.Edit) {
	var before, after strings.Builder
	flush := func() {
		if before.String() != after.String() {
			old := before.String()
			all = append(all, backend.Edit{Path: path, Before: &old, After: after.String()})
		}
		before.Reset()
		after.Reset()
	}
	for line := range strings.SplitSeq(diff, "\n") {
		if line == "" {
			continue
		}
		numbered := strings.TrimLeft(line[1:], " ")
		text := strings.TrimLeft(numbered, "0123456789")
		if text == numbered {
			flush()
			continue
		}
		text = strings.TrimPrefix(text, " ") + "\n"
		if line[0] != '+' {
			before.WriteString(text)
		}
		if line[0] != '-' {
			after.WriteString(text)
		}
	}
	flush()
	return all
}

// maxBefore is the greatest size of a file whose text before a change is shown.
const maxBefore = 1 << 20

// textOf returns the text of a file; nil: it has none that can be shown.
func textOf(path string) (text *string, exists bool) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, !os.IsNotExist(err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxBefore {
		return nil, true
	}
	data, err := regular.ReadFile(path, maxBefore)
	if err != nil || !utf8.Valid(data) {
		return nil, true
	}
	shown := string(data)
	return &shown, true
}
