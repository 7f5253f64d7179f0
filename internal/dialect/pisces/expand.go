package pisces

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"parley.dev/parley/internal/frontmatter"
)

// An expander makes of a prompt what the model reads: a prompt that begins with a slash
// may name a file whose text takes its place.
type expander struct {
	// folders hold the folders commands and prompts, those of the project first.
	folders []string
	read    func(path string) ([]byte, error)
	list    func(folder string) ([]string, error) // names of files
}

// The folders of texts that prompts can name.
const (
	commandsFolder = "commands"
	promptsFolder  = "prompts"
)

// expand returns the text that a prompt stands for: its own, unless it names a file.
func (x expander) expand(prompt string) string {
	name, rest, ok := slashed(prompt)
	if !ok {
		return prompt
	}
	for _, kind := range []string{commandsFolder, promptsFolder} {
		for _, folder := range x.folders {
			if data, err := x.read(filepath.Join(folder, kind, name+".md")); err == nil {
				_, body := frontMatter(string(data))
				return fillIn(strings.TrimSpace(body), shellWords(rest))
			}
		}
	}
	return prompt
}

// slashed returns a prompt that begins with a slash: the name after it, which is none of a path,
// and what follows.
func slashed(prompt string) (name, rest string, ok bool) {
	text, ok := strings.CutPrefix(prompt, "/")
	if !ok {
		return "", "", false
	}
	name = text
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		name, rest = text[:i], strings.TrimSpace(text[i:])
	}
	if name == "" || strings.ContainsAny(name, "/\\\x00") || strings.HasPrefix(name, ".") {
		return "", "", false
	}
	return name, rest, true
}

// commands returns what can stand after a slash, sorted; of two of one name the first counts.
func (x expander) commands() []SlashCommand {
	all := []SlashCommand{}
	for _, kind := range []string{commandsFolder, promptsFolder} {
		for _, folder := range x.folders {
			names, _ := x.list(filepath.Join(folder, kind)) // mostly there is none
			for _, file := range names {
				name, isText := strings.CutSuffix(file, ".md")
				if _, _, ok := slashed("/" + name); !isText || !ok || slices.ContainsFunc(all, func(c SlashCommand) bool { return c.Name == name }) {
					continue
				}
				if data, err := x.read(filepath.Join(folder, kind, file)); err == nil {
					all = append(all, SlashCommand{name, descriptionOf(string(data)), "prompt"})
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b SlashCommand) int { return strings.Compare(a.Name, b.Name) })
	return all
}

// descriptionOf returns what a text says of itself: in its front matter, else its first line.
func descriptionOf(text string) string {
	head, body := frontMatter(text)
	if fields, err := frontmatter.Parse(head); err == nil {
		if said, _ := fields["description"].(string); said != "" {
			return said
		}
	}
	const most = 60 // characters of a first line
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return line
}

// frontMatter divides a text, whose lines end with LF then.
func frontMatter(text string) (head, body string) {
	return frontmatter.Split(strings.ReplaceAll(text, "\r\n", "\n"))
}

// fillIn puts arguments where a text has $1, $2 …, and all of them where it has $@ or
// $ARGUMENTS. What is put in is not looked at again.
func fillIn(text string, args []string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "$")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		all := strings.Join(args, " ")
		digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
		switch {
		case strings.HasPrefix(after, "ARGUMENTS"):
			b.WriteString(all)
			after = after[len("ARGUMENTS"):]
		case strings.HasPrefix(after, "@"):
			b.WriteString(all)
			after = after[1:]
		case digits != "":
			if n, err := strconv.Atoi(digits); err == nil && n >= 1 && n <= len(args) {
				b.WriteString(args[n-1])
			}
			after = after[len(digits):]
		default:
			b.WriteByte('$')
		}
		text = after
	}
}

// shellWords divides arguments at blanks that no quotes enclose. A quote that nothing closes
// encloses the rest.
func shellWords(text string) []string {
	var words []string
	var word strings.Builder
	begun := false
	var quote rune
	for _, r := range text {
		switch {
		case quote != 0 && r == quote:
			quote = 0
		case quote != 0:
			word.WriteRune(r)
		case r == '"' || r == '\'':
			quote, begun = r, true
		case unicode.IsSpace(r):
			if begun {
				words = append(words, word.String())
				word.Reset()
				begun = false
			}
		default:
			word.WriteRune(r)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}
