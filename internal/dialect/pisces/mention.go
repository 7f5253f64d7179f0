package pisces

import (
	"errors"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/dialect/pisces/message"
)

// A mentioned file is open for reading.
type mentioned struct {
	io.ReadCloser
	size   int64 // bytes
	inside bool  // it lies in the project, through no link that leads out
}

// A mentioner opens a regular file by the path that a prompt has; an error for any other, and
// for those that models must not see.
type mentioner func(path string) (mentioned, error)

// The limits of what is mentioned.
const (
	largestMention      = 256 << 10 // bytes of a text
	largestMentionImage = 5 << 20   // bytes of a picture
	mostMentions        = 50        // files of a prompt
)

// mentions returns the files that a prompt names with @ before their path. Words that name no
// file mean what they say.
//
// What the user typed may name any file. The text that it stands for may be the project's, and
// names only files of the project: otherwise a stranger's repository could send any file of the
// user to the model.
func (f mentioner) mentions(typed, expanded string, timestamp int64) (message.FileMention, bool) {
	m := message.FileMention{Role: message.RoleFileMention, Files: []message.MentionedFile{}, Timestamp: timestamp}
	byUser := mentionedPaths(typed)
	for i, path := range unique(append(byUser, mentionedPaths(expanded)...)) {
		if len(m.Files) == mostMentions {
			break
		}
		if file, err := f.file(path, i < len(byUser)); err == nil {
			m.Files = append(m.Files, file)
		}
	}
	return m, len(m.Files) > 0
}

// unique returns paths without those that stood earlier.
func unique(paths []string) []string {
	var kept []string
	for _, path := range paths {
		if !slices.Contains(kept, path) {
			kept = append(kept, path)
		}
	}
	return kept
}

// Why a file is not shown.
var (
	errNoText  = errors.New("the file is no text")
	errOutside = errors.New("a text of the project cannot name files outside of it")
)

// file reads a file; one outside of the project only if anywhere is true.
func (f mentioner) file(path string, anywhere bool) (message.MentionedFile, error) {
	opened, err := f(path)
	if err != nil {
		return message.MentionedFile{}, err
	}
	defer opened.Close()
	if !opened.inside && !anywhere {
		return message.MentionedFile{}, errOutside
	}
	file := message.MentionedFile{Path: path, ByteSize: opened.size}
	mime := imageType(path)
	limit := int64(largestMention)
	if mime != "" {
		limit = largestMentionImage
	}
	if opened.size > limit {
		file.SkippedReason = "tooLarge"
		return file, nil
	}
	data, err := io.ReadAll(io.LimitReader(opened, limit+1))
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

// imageType returns the type of a picture by the name of its file; "": it is none.
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

// mentionedPaths returns the words of a prompt that begin with @, each once: a path, which may
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
