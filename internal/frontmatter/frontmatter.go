// Package frontmatter reads the YAML that may stand at the head of a Markdown file. What the
// fields mean is decided by whoever reads the file.
package frontmatter

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
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
// matter", also where the library panics, as it does at some texts.
func Parse(head string) (fields map[string]any, err error) {
	defer func() {
		if p := recover(); p != nil {
			fields, err = nil, fmt.Errorf("its front matter is not valid: %v", p)
		}
	}()
	if err := yaml.Unmarshal([]byte(head), &fields); err != nil {
		return nil, fmt.Errorf("its front matter is not valid: %w", err)
	}
	return fields, nil
}
