package skill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/regular"
)

// FileName is the file that makes a folder a skill.
const FileName = "SKILL.md"

// Caps of what is read of a SKILL.md, in bytes.
const (
	maxHead = 64 << 10  // to list it
	maxText = 256 << 10 // to use it
)

// A Skill is a folder with a SKILL.md. All its texts are valid UTF-8; Name, Description
// and Preview are one line each.
type Skill struct {
	Name        string
	Description string
	Preview     string         // the beginning of Description
	Dir         string         // the folder, as it was found below its root; absolute if that is
	Fields      map[string]any // what else the front matter has; nil: nothing
	// Hidden reports that only the user can have it loaded: models neither see it in lists nor load it.
	Hidden bool
}

// Offered returns the skills that models may load by themselves.
func Offered(skills []Skill) []Skill {
	return slices.DeleteFunc(slices.Clone(skills), func(s Skill) bool { return s.Hidden })
}

// Path returns the skill's SKILL.md.
func (s Skill) Path() string { return filepath.Join(s.Dir, FileName) }

// Text returns the whole SKILL.md as it is now. One that is too long is cut at the end, with a note.
func (s Skill) Text() (string, error) {
	data, whole, err := readStart(s.Path(), maxText)
	if err != nil {
		return "", fmt.Errorf("read skill %s: %w", s.Name, err)
	}
	text := strings.ToValidUTF8(string(data), "\uFFFD")
	if !whole {
		text += fmt.Sprintf("\n[… the rest of %s is left out: it has more than %d KiB …]\n", FileName, maxText>>10)
	}
	return text, nil
}

// Errors of files that are no SKILL.md.
var (
	errNotText = errors.New("it is not a text")
	errLink    = errors.New("it is a link to a file of another name")
)

// readStart reads the first limit bytes of a SKILL.md; whole says that there are no more. A
// link may lead to another SKILL.md only: what it leads to is shown to models, and
// must not be whatever a stranger's repository chooses.
func readStart(path string, limit int) (data []byte, whole bool, err error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return nil, false, plain(err)
	}
	if filepath.Base(real) != FileName {
		return nil, false, errLink
	}
	file, err := regular.OpenNoFollow(real)
	if err != nil {
		return nil, false, plain(err)
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, int64(limit)+1))
	if err != nil {
		return nil, false, plain(err)
	}
	if bytes.IndexByte(data, 0) >= 0 {
		return nil, false, errNotText
	}
	if len(data) > limit {
		return data[:limit], false, nil
	}
	return data, true, nil
}

// plain returns an error without its path, which its reader knows.
func plain(err error) error {
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err
	}
	return err
}
