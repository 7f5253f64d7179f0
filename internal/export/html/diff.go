package html

import "strings"

// diffLines writes a unified diff, or what looks like one, with its lines marked.
func (s *sheet) diffLines(text string) {
	for line := range strings.Lines(text) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"), strings.HasPrefix(line, "diff "):
			s.element("span", line, "class", "df")
		case strings.HasPrefix(line, "@@"):
			s.element("span", line, "class", "dh")
		case strings.HasPrefix(line, "+"):
			s.element("ins", line)
		case strings.HasPrefix(line, "-"):
			s.element("del", line)
		default:
			s.text(line)
		}
	}
}

// looksLikeDiff reports whether a tool's output is a diff of git or of diff -u.
func looksLikeDiff(text string) bool {
	return strings.HasPrefix(text, "diff --git ") || strings.HasPrefix(text, "--- ") && strings.Contains(text, "\n+++ ")
}
