package pisces

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// An expander makes of a prompt what the model is told: a prompt that begins with a slash
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

// expand is the text that a prompt stands for: its own, unless it names a file.
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

// slashed is a prompt that begins with a slash: the name behind it, which is none of a path,
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

// commands is what can stand behind a slash, sorted; of two of one name the first counts.
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

// descriptionOf is what a text says of itself: in its front matter, else its first line.
func descriptionOf(text string) string {
	head, body := frontMatter(text)
	var fields struct {
		Description string `yaml:"description"`
	}
	if yaml.Unmarshal([]byte(head), &fields) == nil && fields.Description != "" {
		return fields.Description
	}
	const most = 60 // characters of a first line
	line, _, _ := strings.Cut(strings.TrimSpace(body), "\n")
	if runes := []rune(line); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return line
}

// frontMatter divides a text with a head between two lines of ---.
func frontMatter(text string) (head, body string) {
	text = strings.ReplaceAll(strings.TrimPrefix(text, "\uFEFF"), "\r\n", "\n")
	rest, ok := strings.CutPrefix(text, "---\n")
	if !ok {
		return "", text
	}
	if body, empty := strings.CutPrefix(rest, "---\n"); empty {
		return "", strings.TrimPrefix(body, "\n")
	}
	head, body, found := strings.Cut(rest, "\n---\n")
	if !found {
		if head, found = strings.CutSuffix(rest, "\n---"); !found {
			return "", text
		}
	}
	return head, strings.TrimPrefix(body, "\n")
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

// A fileStat is what a prompt's mention has to know of a file before it reads it.
type fileStat struct {
	regular bool
	size    int64
}

// A mentioner finds the files that prompts mention. What it may see is what its functions
// let it see.
type mentioner struct {
	stat func(path string) (fileStat, error) // a path as it was mentioned
	read func(path string) ([]byte, error)
}

// The limits of what is mentioned.
const (
	largestMention      = 256 << 10 // bytes of a text
	largestMentionImage = 5 << 20   // bytes of a picture
	mostMentions        = 50        // files of a prompt
)

// mentions is the files that a prompt names with @ before their path. Words that name no
// file mean what they say.
func (f mentioner) mentions(prompt string, timestamp int64) (FileMentionMessage, bool) {
	m := FileMentionMessage{Role: RoleFileMention, Files: []MentionedFile{}, Timestamp: timestamp}
	for _, path := range mentionedPaths(prompt) {
		if len(m.Files) == mostMentions {
			break
		}
		if file, err := f.file(path); err == nil {
			m.Files = append(m.Files, file)
		}
	}
	return m, len(m.Files) > 0
}

var errNoText = errors.New("the file is no text")

func (f mentioner) file(path string) (MentionedFile, error) {
	info, err := f.stat(path)
	if err == nil && !info.regular {
		err = fs.ErrInvalid
	}
	if err != nil {
		return MentionedFile{}, err
	}
	file := MentionedFile{Path: path, ByteSize: info.size}
	mime := imageType(path)
	limit := int64(largestMention)
	if mime != "" {
		limit = largestMentionImage
	}
	if info.size > limit {
		file.SkippedReason = "tooLarge"
		return file, nil
	}
	data, err := f.read(path)
	if err != nil {
		return MentionedFile{}, err
	}
	file.ByteSize = int64(len(data))
	switch {
	case int64(len(data)) > limit: // it has grown
		file.SkippedReason = "tooLarge"
	case mime != "":
		img := contentOfData(mime, data)
		file.Image = &img
	case slices.Contains(data, 0):
		return MentionedFile{}, errNoText
	default:
		file.Content = strings.ToValidUTF8(string(data), "\uFFFD")
		file.LineCount = strings.Count(file.Content, "\n") + 1
	}
	return file, nil
}

// imageType is the type of a picture by the name of its file; "": it is none.
func imageType(path string) string {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".gif":
		return "image/gif"
	case ".webp":
		return "image/webp"
	}
	return ""
}

// mentionedPaths is the words of a prompt that begin with @, each once: a path, which may
// stand in quotes. What ends a sentence ends a path.
func mentionedPaths(prompt string) []string {
	var paths []string
	add := func(path string) {
		if path != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	before := ' '
	for i := 0; i < len(prompt); {
		r, size := utf8.DecodeRuneInString(prompt[i:])
		if r != '@' || !unicode.IsSpace(before) && !strings.ContainsRune("([{\"'`", before) {
			before = r
			i += size
			continue
		}
		rest := prompt[i+1:]
		before = '@'
		if rest != "" && strings.Contains(`"'`, rest[:1]) {
			path, _, closed := strings.Cut(rest[1:], rest[:1])
			if closed {
				add(path)
				i += len(path) + len(`@""`)
				continue
			}
		}
		word := rest
		if end := strings.IndexFunc(rest, unicode.IsSpace); end >= 0 {
			word = rest[:end]
		}
		add(strings.TrimRight(word, ".,;:!?)]}\"'`"))
		i += 1 + len(word)
	}
	return paths
}
