// Package frontmatter reads the YAML that may stand at the head of a Markdown file. What the
// fields mean is decided by whoever reads the file.
package frontmatter

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v4"

	"parley.dev/parley/internal/memo"
)

// Split takes the head, between two lines "---", from the text behind it. It may end with a line
// "...", too, as in YAML; one without an end is no head. A mark of the byte order is left out.
func Split(text string) (head, body string) {
	text = strings.TrimPrefix(text, "\uFEFF")
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return "", text
	}
	at := 0
	for line := range strings.Lines(rest) {
		switch strings.TrimRight(line, " \t\r\n") {
		case "---", "...":
			return rest[:at], rest[at+len(line):]
		}
		at += len(line)
	}
	return "", text
}

// Parse is the fields of a head; nil: it has none. The error is one sentence about "its front
// matter", also where the library panics, as it does at some texts. The map is the caller's,
// what is in its values is not.
//
// The same few files are read for each request to a model, and to parse takes much longer than
// to read: the last heads are kept.
func Parse(head string) (map[string]any, error) {
	if len(head) > maxKept {
		found := parse(head)
		return found.fields, found.err
	}
	found := parsed.Of(head, parse)
	return maps.Clone(found.fields), found.err
}

const maxKept = 4 << 10 // bytes of a head that is kept

var parsed = memo.Memo[string, fields]{Most: 512}

type fields struct {
	fields map[string]any
	err    error
}

func parse(head string) (found fields) {
	defer func() {
		if p := recover(); p != nil {
			found = fields{err: fmt.Errorf("its front matter is not valid: %v", p)}
		}
	}()
	if err := yaml.Unmarshal([]byte(head), &found.fields); err != nil {
		return fields{err: fmt.Errorf("its front matter is not valid: %w", err)}
	}
	return found
}
