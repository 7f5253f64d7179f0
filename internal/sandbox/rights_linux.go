package sandbox

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/reexec"
)

// The Landlock rights that are restricted: changing files, and reading them where something is hidden and cannot be
// covered by a mount. Executing and reading folders are not handled, hence allowed everywhere.
const (
	readFile      = unix.LANDLOCK_ACCESS_FS_READ_FILE
	writeFile     = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	makeNode      = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	changeEntries = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM

	refer    = unix.LANDLOCK_ACCESS_FS_REFER
	truncate = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ioctl    = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// The first ABI of Landlock that restricts something.
const (
	abiRefer    = 2 // in older ones, nothing can be moved to another folder at all
	abiTruncate = 3 // in older ones, every file can be truncated
	abiIoctl    = 5
	abiScopes   = 6 // in older ones, signals and abstract sockets reach other processes
)

// writeRights are the rights of a command below a writable folder: all but device nodes.
const writeRights = writeFile | changeEntries | refer | truncate

// handledRights returns the rights that an ABI of Landlock can restrict.
func handledRights(abi int) uint64 {
	rights := uint64(writeFile | makeNode | changeEntries)
	if abi >= abiRefer {
		rights |= refer
	}
	if abi >= abiTruncate {
		rights |= truncate
	}
	if abi >= abiIoctl {
		rights |= ioctl
	}
	return rights
}

func scopes(abi int) uint64 {
	if abi < abiScopes {
		return 0
	}
	return unix.LANDLOCK_SCOPE_SIGNAL | unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
}

// sinkDevices are devices that discard what is written to them. /dev/tty is one of them since a
// confined command has no terminal but one that it created itself.
var sinkDevices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}

func sinkRules() (rules []reexec.Rule) {
	for _, path := range sinkDevices {
		rules = append(rules, reexec.Rule{Path: path, Rights: writeFile | truncate | ioctl})
	}
	return rules
}

// errTooManyRules reports that a Plan would exceed maxRules: Landlock needs a rule for each entry.
var errTooManyRules = errors.New("there are too many files beside the folders that the sandbox protects: " +
	"without namespaces each needs a rule of its own")

const maxRules = 20_000

// writeRules returns rules that allow writing below roots, but not to excluded. Landlock cannot
// exclude a path below an allowed folder, so a folder that contains such a path is allowed entry
// by entry, and nothing new can be created in it.
func writeRules(roots, excluded []string) (rules []reexec.Rule, err error) {
	for _, root := range roots {
		excluded := slices.DeleteFunc(slices.Clone(excluded), func(path string) bool { return within(root, path) })
		if rules, err = allowExcept(rules, root, writeRights, excluded); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// readRules adds rules that allow reading every file except those of hidden folders. A file that appears in a folder above a
// hidden one while the command runs cannot be read by it.
func readRules(rules []reexec.Rule, hidden hiddenPaths) (_ []reexec.Rule, err error) {
	for _, folder := range slices.Concat(hidden.writable, hidden.readable) {
		if rules, err = allowExcept(rules, folder, readFile, nil); err != nil {
			return nil, err
		}
	}
	return allowExcept(rules, "/", readFile, hidden.folders)
}

// allowExcept adds rules that allow rights below path, but not to excluded.
func allowExcept(rules []reexec.Rule, path string, rights uint64, excluded []string) ([]reexec.Rule, error) {
	if slices.Contains(excluded, path) {
		return rules, nil
	}
	if !slices.ContainsFunc(excluded, func(inner string) bool { return within(inner, path) }) {
		if len(rules) == maxRules {
			return nil, errTooManyRules
		}
		return append(rules, reexec.Rule{Path: path, Rights: rights}), nil
	}
	names, err := entryNames(path)
	if rights == readFile && errors.Is(err, fs.ErrPermission) { // such as a /home that users cannot list
		names, err = nextNames(path, excluded), nil
	}
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if rules, err = allowExcept(rules, filepath.Join(path, name), rights, excluded); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

// entryNames returns the names of the entries of a folder.
func entryNames(folder string) (names []string, err error) {
	list, err := os.ReadDir(folder)
	for _, entry := range list {
		names = append(names, entry.Name())
	}
	return names, err
}

// nextNames returns the names of the entries of a folder that lead to paths below it.
func nextNames(folder string, paths []string) (names []string) {
	for _, path := range paths {
		if below, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(below) {
			name, _, _ := strings.Cut(below, "/")
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
