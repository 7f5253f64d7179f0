package approval

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// This file finds out which folders and devices the words of a command name.

// folders are the folders that names are relative to.
type folders struct {
	dir  string // where the command runs; "": not known
	home string // of the user; "": not known
}

// ownProcess reports whether a shell runs a node in a process of its own, so that what is in it changes the
// folder of no command after it.
func ownProcess(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.Subshell, *syntax.CmdSubst, *syntax.ProcSubst, *syntax.FuncDecl:
		return true
	case *syntax.Stmt:
		return n.Background
	case *syntax.BinaryCmd:
		return n.Op == syntax.Pipe || n.Op == syntax.PipeAll
	}
	return false
}

// inProcess begins the check of what runs in a process of its own. What it returns ends it.
func (d *destructiveCheck) inProcess() (end func()) {
	outer := d.at
	return func() { d.at = outer }
}

// enter returns the folders after cd, or another command of changers, with these arguments.
func (f folders) enter(name string, args []string) folders {
	to := "-"
	if name == "cd" || name == "chdir" {
		to = "~"
	}
	for _, a := range args {
		if to = a; a == "-" || !strings.HasPrefix(a, "-") {
			break
		}
	}
	if f.dir = f.path(to); name == "popd" || strings.HasPrefix(to, "-") || strings.ContainsAny(to, unknownWord+"*?[") {
		f.dir = ""
	}
	return f
}

// path returns the file that a word names; "" if that is not known.
func (f folders) path(word string) string {
	switch {
	case word == "~" || strings.HasPrefix(word, "~/"):
		if f.home != "" {
			word = f.home + word[1:]
		}
	case word == "" || strings.HasPrefix(word, "~"):
		return ""
	case strings.HasPrefix(word, "/"):
	case f.dir == "":
		return ""
	default:
		word = f.dir + "/" + word
	}
	return path.Clean(word)
}

// wipes reports whether one of args is a vital folder, or everything in one.
func (f folders) wipes(args []string) bool {
	return slices.ContainsFunc(args, func(a string) bool {
		if a == "" || strings.HasPrefix(a, "-") {
			return false
		}
		if !strings.HasPrefix(a, "/") && !strings.HasPrefix(a, "~") {
			a = "./" + a
		}
		a = strings.TrimRight(a, "/")
		for _, all := range []string{"/{*,.*}", "/.[!.]*", "/.*", "/*"} {
			a = strings.TrimSuffix(a, all)
		}
		a = f.path(a + "/")
		return a != "" && (a == f.home || vitalFolders.get()[a])
	})
}

// device reports whether a file is a device that stores data.
func (f folders) device(file string) bool {
	if strings.HasPrefix(file, "-") {
		return false
	}
	name, ok := strings.CutPrefix(f.path(file), "/dev/")
	first, _, _ := strings.Cut(name, "/")
	return ok && !slices.Contains(streamDevices.get(), first) && !strings.HasPrefix(first, "tty")
}

// moved returns which arguments of mv are moved.
func moved(args []string) []string {
	for i, a := range args {
		long := strings.HasPrefix(a, "--t") // --target-directory, or a part of it
		short := len(a) > 1 && a[0] == '-' && a[1] != '-' && strings.Contains(a, "t")
		switch {
		case (long && !strings.Contains(a, "=") || short && strings.HasSuffix(a, "t")) && i+1 < len(args):
			return slices.Concat(args[:i], args[i+2:])
		case long || short:
			return args
		}
	}
	return args[:len(args)-1]
}
