package sandbox

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"parley.dev/parley/internal/sandbox/cell"
)

// What Landlock is asked to hold: changing files. Reading and executing are not handled,
// hence allowed everywhere.
const (
	writeFile = unix.LANDLOCK_ACCESS_FS_WRITE_FILE
	nodes     = unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
	entries   = unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM

	refer    = unix.LANDLOCK_ACCESS_FS_REFER
	truncate = unix.LANDLOCK_ACCESS_FS_TRUNCATE
	ioctl    = unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// The ABI from which Landlock holds something.
const (
	abiRefer    = 2 // before, nothing can be moved to another folder at all
	abiTruncate = 3 // before, every file can be cut to nothing
	abiIoctl    = 5
	abiScopes   = 6 // before, signals and abstract sockets reach other processes
)

// workRights are those to a folder that a command works in: all but device nodes.
const workRights = writeFile | entries | refer | truncate

// handledRights are what an ABI of Landlock can hold.
func handledRights(abi int) uint64 {
	rights := uint64(writeFile | nodes | entries)
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

// sinks are devices that keep nothing of what is written to them. /dev/tty is one of them
// since a confined command has no terminal: it can only be one that it made itself.
var sinks = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty"}

func sinkRules() (rules []cell.Rule) {
	for _, path := range sinks {
		rules = append(rules, cell.Rule{Path: path, Rights: writeFile | truncate | ioctl})
	}
	return rules
}

// errManyEntries bounds a Plan: Landlock has to be told of each entry.
var errManyEntries = errors.New("there are too many files beside the folders that the sandbox protects: " +
	"without namespaces each needs a rule of its own")

const maxRules = 20_000

// workRules allow roots but for what is to be kept out. Landlock cannot take a path out of
// a folder, so a folder with such a path in it is allowed entry by entry, and nothing new
// can be made in it.
func workRules(roots, keptOut []string) (rules []cell.Rule, err error) {
	for _, root := range roots {
		if rules, err = allowBut(rules, root, keptOut); err != nil {
			return nil, err
		}
	}
	return rules, nil
}

func allowBut(rules []cell.Rule, path string, keptOut []string) ([]cell.Rule, error) {
	if slices.Contains(keptOut, path) {
		return rules, nil
	}
	if !slices.ContainsFunc(keptOut, func(kept string) bool { return within(kept, path) }) {
		if len(rules) == maxRules {
			return nil, errManyEntries
		}
		return append(rules, cell.Rule{Path: path, Rights: workRights}), nil
	}
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, entry := range list {
		if rules, err = allowBut(rules, filepath.Join(path, entry.Name()), keptOut); err != nil {
			return nil, err
		}
	}
	return rules, nil
}
