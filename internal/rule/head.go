package rule

import (
	"strings"

	"parley.dev/parley/internal/frontmatter"
)

// A head is the fields of front matter. A field of the wrong type is read as absent.
type head map[string]any

func parseHead(text string) (head, error) {
	fields, err := frontmatter.Parse(text)
	if err != nil { // patterns are often written without quotes, and * and { have a meaning in YAML
		if quoted, quotedErr := frontmatter.Parse(quotePatterns(text)); quotedErr == nil {
			return quoted, nil
		}
	}
	return fields, err
}

// quotePatterns puts single quotes around values that begin with a character that plain YAML text
// cannot begin with.
func quotePatterns(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		at := strings.Index(line, ": ") + len(": ")
		if item := strings.TrimLeft(line, " "); strings.HasPrefix(item, "- ") {
			at = len(line) - len(item) + len("- ")
		} else if at == len(": ")-1 {
			b.WriteString(line)
			continue
		}
		value := strings.TrimSpace(line[at:])
		if value == "" || !strings.ContainsRune("*{%@`&!\\", rune(value[0])) {
			b.WriteString(line)
			continue
		}
		b.WriteString(line[:at] + "'" + strings.ReplaceAll(value, "'", "''") + "'\n")
	}
	return b.String()
}

func (h head) text(name string) string {
	text, _ := h[name].(string)
	return strings.TrimSpace(text)
}

func (h head) truth(name string) bool {
	truth, _ := h[name].(bool)
	return truth
}

// texts returns the elements of a list, or of a text that is separated by commas.
func (h head) texts(name string) (all []string) {
	switch value := h[name].(type) {
	case string:
		all = parts(value)
	case []any:
		for _, one := range value {
			if text, ok := one.(string); ok && strings.TrimSpace(text) != "" {
				all = append(all, strings.TrimSpace(text))
			}
		}
	}
	return all
}

// patterns is texts, but does not split at commas: regular expressions contain them.
func (h head) patterns(name string) []string {
	if text, ok := h[name].(string); ok {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	return h.texts(name)
}

// parts splits a text at the commas that are not in brackets.
func parts(text string) (all []string) {
	depth, from := 0, 0
	add := func(part string) {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	for i := range len(text) {
		switch text[i] {
		case '(', '{', '[':
			depth++
		case ')', '}', ']':
			depth--
		case ',':
			if depth <= 0 {
				add(text[from:i])
				from = i + 1
			}
		}
	}
	add(text[from:])
	return all
}
