package skill

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Caps of what is shown of a skill in lists, in characters.
const (
	maxName        = 100
	maxDescription = 1024
)

const noDescription = "no description provided"

// paragraph returns the first paragraph of Markdown as one line without its decoration; "" if
// there is none.
func paragraph(body string) string {
	var lines []string
	fence := ""
	for line := range strings.Lines(body) {
		line = strings.TrimSpace(line)
		switch mark := fenceOf(line); {
		case fence != "":
			if mark == fence {
				fence = ""
			}
			continue
		case mark != "":
			fence = mark
			line = ""
		case isDecoration(line):
			line = ""
		}
		line = undecorated(line)
		if line == "" && len(lines) > 0 {
			break
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	return oneLine(strings.Join(lines, " "))
}

// fenceOf returns the mark that opens or closes a block of code; "" if line does neither.
func fenceOf(line string) string {
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(line, mark) {
			return mark
		}
	}
	return ""
}

// isDecoration reports whether a line is a heading, a rule, or one that underlines a heading, or
// nothing but a comment or a tag.
func isDecoration(line string) bool {
	switch {
	case line == "":
		return false
	case strings.Trim(line, "-=*_ ") == "":
		return true
	case line[0] == '#':
		text := strings.TrimLeft(line, "#")
		return text == "" || text[0] == ' '
	}
	return line[0] == '<' && strings.HasSuffix(line, ">")
}

// undecorated returns a line of Markdown without marks of quotes, lists, links and emphasis.
func undecorated(line string) string {
	for {
		rest := strings.TrimLeft(line, "> ")
		for _, mark := range []string{"- ", "* ", "+ "} {
			rest = strings.TrimPrefix(rest, mark)
		}
		if number := strings.TrimLeft(rest, "0123456789"); number != rest && (strings.HasPrefix(number, ". ") || strings.HasPrefix(number, ") ")) {
			rest = number[2:]
		}
		if rest == line {
			break
		}
		line = rest
	}
	line = unlinked(line)
	return strings.TrimSpace(strings.NewReplacer("**", "", "__", "", "~~", "", "`", "", "*", "").Replace(line))
}

// unlinked replaces [text](target) and ![text](target) by text.
func unlinked(line string) string {
	var out strings.Builder
	for {
		before, rest, ok := strings.Cut(line, "[")
		if !ok {
			break
		}
		text, rest, ok := strings.Cut(rest, "](")
		if !ok || strings.ContainsAny(text, "[]") {
			out.WriteString(before + "[")
			line = line[len(before)+1:]
			continue
		}
		_, rest, ok = strings.Cut(rest, ")")
		if !ok {
			break
		}
		out.WriteString(strings.TrimSuffix(before, "!") + text)
		line = rest
	}
	return out.String() + line
}

// oneLine returns text with every run of white space, and what cannot be shown, as one space.
func oneLine(text string) string {
	return strings.Join(strings.FieldsFunc(text, func(r rune) bool {
		return unicode.IsSpace(r) || !unicode.IsGraphic(r) || r == utf8.RuneError
	}), " ")
}

// short returns text, or else its first limit characters with "…".
func short(text string, limit int) string {
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return string([]rune(text)[:limit]) + "…"
}

// preview returns the first eight words of a description.
func preview(description string) string {
	const most = 8
	words := strings.Fields(description)
	return strings.Join(words[:min(len(words), most)], " ") + "..."
}
