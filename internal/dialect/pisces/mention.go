package pisces

import (
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/dialect/pisces/message"
)

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
func (f mentioner) mentions(prompt string, timestamp int64) (message.FileMention, bool) {
	m := message.FileMention{Role: message.RoleFileMention, Files: []message.MentionedFile{}, Timestamp: timestamp}
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

func (f mentioner) file(path string) (message.MentionedFile, error) {
	info, err := f.stat(path)
	if err == nil && !info.regular {
		err = fs.ErrInvalid
	}
	if err != nil {
		return message.MentionedFile{}, err
	}
	file := message.MentionedFile{Path: path, ByteSize: info.size}
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
		return message.MentionedFile{}, err
	}
	file.ByteSize = int64(len(data))
	switch {
	case int64(len(data)) > limit: // it has grown
		file.SkippedReason = "tooLarge"
	case mime != "":
		img := message.ImageOf(mime, data)
		file.Image = &img
	case slices.Contains(data, 0):
		return message.MentionedFile{}, errNoText
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
