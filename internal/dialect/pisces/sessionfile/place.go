package sessionfile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/event"
)

// The options of a session's settings.
const (
	OptionFile   = "session_file"   // path, absolute
	OptionParent = "parent_session" // what the header of the file says
)

// Option returns an option of a session's settings; "" if it is not there.
func Option(s event.Settings, name string) (value string) {
	_ = json.Unmarshal(s.Options[name], &value)
	return value
}

// Name returns the name of a session's file.
func Name(created time.Time, id event.SessionID) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(Stamp(created)) + "_" + string(id) + ".jsonl"
}

// Artifacts returns the folder of what belongs to a session besides its file.
func Artifacts(file string) string { return strings.TrimSuffix(file, ".jsonl") }

// cwdCode names the folder of the sessions that work in cwd. All three are absolute, with
// symlinks resolved; home and temp may be "".
func cwdCode(cwd, home, temp string) string {
	if rest, ok := below(cwd, home); ok {
		return "-" + flat(rest)
	}
	if rest, ok := below(cwd, temp); ok {
		return strings.TrimSuffix("-tmp-"+flat(rest), "-")
	}
	return oldCwdCode(cwd)
}

// oldCwdCode returns the code for every folder once, and for those elsewhere today.
func oldCwdCode(cwd string) string {
	return "--" + flat(strings.TrimLeft(cwd, `/\`)) + "--"
}

// flat returns a path as one name.
func flat(path string) string { return strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path) }

// below returns what leads from folder to path, "" for folder itself.
func below(path, folder string) (rest string, ok bool) {
	if folder == "" {
		return "", false
	}
	rest, err := filepath.Rel(folder, path)
	if err != nil || rest == ".." || strings.HasPrefix(rest, ".."+string(filepath.Separator)) {
		return "", false
	}
	if rest == "." {
		return "", true
	}
	return rest, true
}

// Folder returns the folder below sessions for those that work in cwd. One that was made
// under an older name gets its name of today.
func Folder(sessions, cwd, home, temp string) string {
	folder := filepath.Join(sessions, cwdCode(cwd, home, temp))
	old := filepath.Join(sessions, oldCwdCode(cwd))
	if _, err := os.Lstat(folder); os.IsNotExist(err) && old != folder {
		_ = os.Rename(old, folder) // mostly there is none
	}
	return folder
}

// NewID is 16 lower-case hex digits, of which later ones sort after earlier ones.
func NewID(now time.Time, random uint32) event.SessionID {
	const bits = 22 // of chance in a millisecond
	id := uint64(now.UnixMilli())<<bits | uint64(random)&(1<<bits-1)
	return event.SessionID(fmt.Sprintf("%016x", id))
}

// Absolute returns a path as users and clients may write it.
func Absolute(path, cwd, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok && home != "" {
		path = filepath.Join(home, rest)
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(cwd, path)
	}
	return filepath.Clean(path)
}
