package pisces

import (
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/event"
)

// fileName is the name of a session's file.
func fileName(created time.Time, id event.SessionID) string {
	return strings.NewReplacer(":", "-", ".", "-").Replace(stamp(created)) + "_" + string(id) + ".jsonl"
}

// artifactsOf is the folder of what belongs to a session besides its file.
func artifactsOf(file string) string { return strings.TrimSuffix(file, ".jsonl") }

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

// oldCwdCode is the code for every folder once, and for those elsewhere today.
func oldCwdCode(cwd string) string {
	return "--" + flat(strings.TrimLeft(cwd, `/\`)) + "--"
}

// flat is a path as one name.
func flat(path string) string { return strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path) }

// below is what leads from folder to path, "" for folder itself.
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

// sessionFolder is the folder below sessions for those that work in cwd. One that was made
// under an older name gets its name of today.
func sessionFolder(sessions, cwd, home, temp string) string {
	folder := filepath.Join(sessions, cwdCode(cwd, home, temp))
	old := filepath.Join(sessions, oldCwdCode(cwd))
	if _, err := os.Lstat(folder); os.IsNotExist(err) && old != folder {
		_ = os.Rename(old, folder) // mostly there is none
	}
	return folder
}
