package codex

import "strings"

// commandOf returns the text that a shell runs, given the command of an item: codex reports its words, quoted for a shell, and
// the first are those of a shell, such as /bin/bash -lc. Another command is returned as it is.
func commandOf(line string) string {
	words, ok := split(line)
	if !ok || len(words) != 3 || words[1] != "-lc" && words[1] != "-c" {
		return line
	}
	switch words[0][strings.LastIndexByte(words[0], '/')+1:] {
	case "bash", "sh", "zsh", "dash", "ksh":
		return words[2]
	}
	return line
}

// split returns the words of a line in which they are quoted, without anything else that means something to a shell.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	in := false // a word
	for i := 0; i < len(line); i++ {
		switch c := line[i]; c {
		case ' ', '\t', '\n':
			if in {
				words = append(words, word.String())
				word.Reset()
				in = false
			}
			continue
		case '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+end])
			i += 1 + end
		case '"':
			end, text, closed := doubleQuoted(line[i+1:])
			if !closed {
				return nil, false
			}
			word.WriteString(text)
			i += 1 + end
		case '\\':
			if i++; i == len(line) {
				return nil, false
			}
			word.WriteByte(line[i])
		default:
			word.WriteByte(c)
		}
		in = true
	}
	if in {
		words = append(words, word.String())
	}
	return words, true
}

// doubleQuoted returns the text up to the closing quote, and where that is.
func doubleQuoted(rest string) (end int, text string, closed bool) {
	var b strings.Builder
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c == '"':
			return i, b.String(), true
		case c == '\\' && i+1 < len(rest) && strings.IndexByte("$`\"\\\n", rest[i+1]) >= 0:
			i++
			if rest[i] != '\n' {
				b.WriteByte(rest[i])
			}
		default:
			b.WriteByte(c)
		}
	}
	return 0, "", false
}
