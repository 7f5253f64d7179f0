package rule

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// split takes the front matter, between two lines "---", from the text behind it.
func split(text string) (head, body string) {
	first, rest, ok := strings.Cut(text, "\n")
	if !ok || strings.TrimRight(first, " \t\r") != "---" {
		return "", text
	}
	at := 0
	for line := range strings.Lines(rest) {
		if strings.TrimRight(line, " \t\r\n") == "---" {
			return rest[:at], rest[at+len(line):]
		}
		at += len(line)
	}
	return "", text // it has no end: it is no front matter
}

// head is the fields of front matter. What has another type than it should have is not there.
type head map[string]any

func parseHead(text string) (fields head, err error) {
	defer func() {
		if p := recover(); p != nil {
			fields, err = nil, fmt.Errorf("its front matter is not valid: %v", p)
		}
	}()
	if err := yaml.Unmarshal([]byte(text), &fields); err != nil {
		// Patterns are often written without quotes, and * and { mean something in YAML.
		if quotedErr := yaml.Unmarshal([]byte(quotePatterns(text)), &fields); quotedErr != nil {
			return nil, fmt.Errorf("its front matter is not valid: %w", err)
		}
	}
	return fields, nil
}

// quotePatterns puts single quotes around values that begin as no plain YAML text does.
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

// texts is a list of texts, or a text with commas between them.
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

// patterns is texts without a look at commas: regular expressions have them.
func (h head) patterns(name string) []string {
	if text, ok := h[name].(string); ok {
		if text == "" {
			return nil
		}
		return []string{text}
	}
	return h.texts(name)
}

// parts is what stands between the commas of a text that no brackets enclose.
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
