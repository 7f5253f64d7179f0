// Package frontmatter parses the YAML at the head of a Markdown file. It does not know what the
// fields mean.
package frontmatter

import (
	"fmt"
	"maps"
	"strings"

	"go.yaml.in/yaml/v4"

	"parley.dev/parley/internal/cache"
)

// Split separates the head, between two lines "---", from the text after it. The head may also
// end with a line "...", as in YAML; without an end there is no head. A byte order mark is removed.
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

// Parse returns the fields of a head; nil: it has none. The error is one sentence about "its front
// matter", also if the library panics, as it does for some texts. The caller may change the map,
// but not its values.
//
// The same few files are read for each request to a model, and parsing takes much longer than
// reading: the results for the last heads are cached.
func Parse(head string) (map[string]any, error) {
	if len(head) > maxCached {
		found := parse(head)
		return found.fields, found.err
	}
	found := parsed.Get(head, parse)
	return maps.Clone(found.fields), found.err
}

const maxCached = 4 << 10 // bytes of a head that is cached

var parsed = cache.Bounded[string, fields]{Max: 512}

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
