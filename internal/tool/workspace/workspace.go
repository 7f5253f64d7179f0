package workspace

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/program"
)

// maxPath is how long a path can be, in bytes.
const maxPath = 4096

// A Workspace is the folder a session works in. It says where a path that a model wrote
// really lies, and opens exactly that place later, whatever was swapped in meanwhile.
// It is safe for use by several goroutines.
type Workspace struct {
	dir       string   // absolute, without symlinks
	home      string   // the home folder, absolute, without symlinks; "" if there is none
	protected []string // absolute, without symlinks
	// protectedFiles are like protected; one that does not exist is taken to be a file.
	protectedFiles []string

	startupHome string // the home folder whose start-up files are protected, even if it cannot be opened
	startupOnce sync.Once
	startup     *startupPaths // set by startupOnce

	roots    atomic.Pointer[[]string] // further folders that count as part of the workspace; absolute, without symlinks; nil: none
	readable string                   // a folder that may be read like the workspace; absolute, without symlinks; "": none

	opening  sync.Mutex // guards the rest
	root     *os.Root   // dir, held open; nil after Release
	homeRoot *os.Root   // home, held open; nil if there is none, and after Release
	closed   bool

	changing sync.Mutex // held while a file is read, changed and written back
}

// Open opens the folder dir. Protected are further absolute paths that count
// as outside even below dir; they need not exist yet.
//
// No program that Parley starts for itself comes from the folder then, see [program.Find].
func Open(dir string, protected ...string) (*Workspace, error) {
	w := &Workspace{}
	if err := w.open(dir, protected); err != nil {
		return nil, errors.Join(fmt.Errorf("open workspace %s: %w", dir, err), w.Close())
	}
	return w, nil
}

func (w *Workspace) open(dir string, protected []string) (err error) {
	if dir, err = filepath.Abs(dir); err != nil {
		return err
	}
	if w.dir, err = RealPath(dir); err != nil {
		return err
	}
	for _, path := range protected {
		if !filepath.IsAbs(path) {
			return fmt.Errorf("protected path %s is not absolute", path)
		}
		real, err := RealPath(path)
		if err != nil {
			return err
		}
		w.protected = append(w.protected, real)
	}
	w.findHome()
	program.Distrust(w.dir)
	return w.Reopen()
}

// ProtectFiles makes absolute paths count as outside, as those that Open was given. One that does not exist is taken to be a file. It is
// called before w is used.
func (w *Workspace) ProtectFiles(paths ...string) error {
	for _, path := range paths {
		real, err := RealPath(path)
		if err != nil {
			return err
		}
		w.protectedFiles = append(w.protectedFiles, real)
	}
	return nil
}

// findHome finds the home folder. Having none is no failure: then "~/" cannot be used.
func (w *Workspace) findHome() {
	home, err := os.UserHomeDir()
	if err != nil {
		return
	}
	if home, err = RealPath(home); err != nil {
		return
	}
	if root, err := os.OpenRoot(home); err == nil {
		w.home, w.homeRoot = home, root
	}
	w.startupHome = home
}

// Release closes the folders that are held open. The next use opens them again.
func (w *Workspace) Release() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	var errs []error
	for _, root := range []*os.Root{w.root, w.homeRoot} {
		if root != nil {
			errs = append(errs, root.Close())
		}
	}
	w.root, w.homeRoot = nil, nil
	return errors.Join(errs...)
}

// Close is Release for good: paths cannot be opened any more.
func (w *Workspace) Close() error {
	w.opening.Lock()
	w.closed = true
	w.opening.Unlock()
	return w.Release()
}

// Reopen holds the workspace open again after Release. It fails when the folder is not
// there, or has become a symlink.
func (w *Workspace) Reopen() error {
	w.opening.Lock()
	defer w.opening.Unlock()
	return w.reopen(&w.root, w.dir)
}

// reopen opens a folder that is held open, if it is not.
func (w *Workspace) reopen(root **os.Root, dir string) error {
	if *root != nil {
		return nil
	}
	if w.closed {
		return os.ErrClosed
	}
	real, err := RealPath(dir)
	if err == nil && real != dir {
		err = fmt.Errorf("%s: %w", dir, ErrSwapped)
	}
	if err != nil {
		return err
	}
	*root, err = os.OpenRoot(dir)
	return err
}

// within opens one of the folders that are held open once more; the caller closes it.
func (w *Workspace) within(root **os.Root, dir string) (*os.Root, error) {
	w.opening.Lock()
	defer w.opening.Unlock()
	if err := w.reopen(root, dir); err != nil {
		return nil, err
	}
	return (*root).OpenRoot(".")
}

// LockFiles makes other callers of it wait until unlock is called: a file is read, changed and written
// back by one call at a time.
func (w *Workspace) LockFiles() (unlock func()) {
	w.changing.Lock()
	return w.changing.Unlock
}

// Dir returns the workspace's folder: absolute, without symlinks.
func (w *Workspace) Dir() string { return w.dir }

// Resolve returns where the path that a model wrote really lies: relative paths begin at
// Dir, "~/" is the home folder, and every symlink that exists is followed, the last
// component included. The file need not exist. A path that exists in another spelling only is
// that one. An error is a sentence for the model.
func (w *Workspace) Resolve(shown string, write bool) (approval.Path, error) {
	shown = w.meant(shown)
	path, err := w.absolute(shown)
	if err != nil {
		return approval.Path{}, err
	}
	real, err := RealPath(path)
	if err != nil {
		return approval.Path{}, fmt.Errorf("%s cannot be used: %w", DisplayName(shown), err)
	}
	if !utf8.ValidString(real) {
		return approval.Path{}, fmt.Errorf("%s cannot be used: its real path is not valid UTF-8", DisplayName(shown))
	}
	if inProcess(real) {
		return approval.Path{}, fmt.Errorf("%s cannot be used: it belongs to a running process, and is no file", DisplayName(shown))
	}
	return w.describe(real, shown, write), nil
}

// describe returns a real path as what has to be approved.
func (w *Workspace) describe(real, shown string, write bool) approval.Path {
	protected := w.protects(real, write)
	return approval.Path{
		Path: real, Shown: shown, Write: write, Outside: protected || !w.contains(real) && (write || !w.canRead(real)), Protected: protected,
	}
}

// Exact is Resolve of an absolute path that was resolved before. It fails with ErrSwapped if the path leads through a
// link now.
func (w *Workspace) Exact(real string, write bool) (approval.Path, error) {
	now, err := RealPath(real)
	if err == nil && now != filepath.Clean(real) {
		err = ErrSwapped
	}
	if err != nil {
		return approval.Path{}, err
	}
	return w.describe(now, w.Rel(now), write), nil
}

// IsLink reports whether the last component of a path that a model wrote is a symlink.
func (w *Workspace) IsLink(shown string) bool {
	path, err := w.absolute(w.meant(shown))
	if err != nil {
		return false
	}
	target, err := LinkTarget(path)
	return err == nil && target != ""
}

// SetRoots makes other folders count as part of the workspace: absolute, without symlinks. It replaces those before. Relative
// paths still begin at Dir.
func (w *Workspace) SetRoots(dirs []string) {
	program.Distrust(dirs...)
	w.roots.Store(&dirs)
}

// contains reports whether real is in the workspace or in one of the further folders, or is one of them.
func (w *Workspace) contains(real string) bool {
	if Below(w.dir, real) {
		return true
	}
	roots := w.roots.Load()
	return roots != nil && slices.ContainsFunc(*roots, func(root string) bool { return Below(root, real) })
}

// AllowReads lets the files of another folder be read like those of the workspace, also in a protected one: absolute, without
// symlinks; "" is none. It is called before the workspace is used.
func (w *Workspace) AllowReads(dir string) { w.readable = dir }

// canRead reports whether real lies in the folder that may be read besides the workspace, or is it.
func (w *Workspace) canRead(real string) bool { return w.readable != "" && Below(w.readable, real) }

// absolute puts shown below Dir or the home folder, without cleaning it: what ".."
// leads to depends on the symlinks before it.
func (w *Workspace) absolute(shown string) (string, error) {
	switch {
	case shown == "":
		return "", errors.New("the path is empty")
	case len(shown) > maxPath:
		return "", fmt.Errorf("the path is too long: %d bytes", len(shown))
	case strings.ContainsRune(shown, 0):
		return "", errors.New("the path contains a NUL byte")
	}
	if onWindows {
		// The workspace itself may be on another machine.
		if rest, ok := strings.CutPrefix(shown, w.dir); !ok || checkWindowsPath(rest) != nil {
			if err := checkWindowsPath(shown); err != nil {
				return "", fmt.Errorf("%s cannot be used: %w", DisplayName(shown), err)
			}
		}
	}
	switch {
	case shown == "~" || strings.HasPrefix(shown, "~/") || onWindows && strings.HasPrefix(shown, `~\`):
		if w.home == "" {
			return "", fmt.Errorf("%s cannot be used: there is no home folder", DisplayName(shown))
		}
		return w.home + shown[1:], nil
	case filepath.IsAbs(shown):
		return shown, nil
	case onWindows && rooted(shown):
		return filepath.VolumeName(w.dir) + shown, nil
	}
	return w.dir + "/" + shown, nil
}

// Rel returns the path for users and models: relative to Dir with "/", or absolute if outside.
func (w *Workspace) Rel(abs string) string {
	if !Below(w.dir, abs) {
		return filepath.ToSlash(abs)
	}
	rel, err := filepath.Rel(w.dir, abs)
	if err != nil {
		return filepath.ToSlash(abs)
	}
	return filepath.ToSlash(rel)
}

// Hides reports whether the real path abs must not be read before it is approved.
func (w *Workspace) Hides(abs string) bool { return w.protects(abs, false) }

// protects reports whether real is protected: to write, everything that is git's, git's hooks and
// start-up files of the user, and always what is a process's.
func (w *Workspace) protects(real string, write bool) bool {
	if write && (inGit(w.Rel(real)) || w.guards(real)) || inProcess(real) {
		return true
	}
	if !write && w.canRead(real) {
		return false
	}
	for _, path := range slices.Concat(w.protected, w.protectedFiles) {
		if Below(path, real) || onWindows && Below(strings.ToLower(path), strings.ToLower(real)) { // it need not exist in that spelling
			return true
		}
	}
	return false
}

// onWindows reports whether the paths of this system are those of Windows.
const onWindows = runtime.GOOS == "windows"

// inGit reports whether a relative path lies in a .git folder, or is one. Case does not
// count, as on some file systems .GIT is the same folder.
func inGit(rel string) bool {
	for name := range strings.SplitSeq(rel, "/") {
		if strings.EqualFold(name, ".git") {
			return true
		}
	}
	return false
}

// inProcess reports whether a real path is what Linux shows of a running process: its environment,
// with the keys that this program was given, its memory, its open files.
func inProcess(real string) bool {
	rest, ok := strings.CutPrefix(real, "/proc/")
	return ok && rest != "" && rest[0] >= '0' && rest[0] <= '9'
}

// Below reports whether path is dir or lies in it; both are absolute and clean.
func Below(dir, path string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || os.IsPathSeparator(rest[0]) || os.IsPathSeparator(dir[len(dir)-1]))
}

// DisplayName returns a path as one line of text: as it is, or in Go quotes if it holds control
// characters, such that turn the direction of what follows, or invalid UTF-8.
func DisplayName(path string) string {
	plain := func(r rune) bool {
		return r != utf8.RuneError && !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r)
	}
	if strings.IndexFunc(path, func(r rune) bool { return !plain(r) }) < 0 {
		return path
	}
	return strconv.Quote(path)
}
