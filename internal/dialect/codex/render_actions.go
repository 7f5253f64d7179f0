package codex

import (
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/approval"
)

// actionsOf returns what a command line does in a folder: one action for each of its pipelines if all of them are known to read
// files, list or search them, else one unknown action.
func actionsOf(line, dir string) []CommandAction {
	var actions []CommandAction
	for _, p := range approval.Pipelines(line) {
		action := actionOf(p, dir)
		if action == nil {
			actions = nil
			break
		}
		actions = append(actions, action)
	}
	if actions == nil {
		return []CommandAction{UnknownCommandAction{Command: line}}
	}
	return actions
}

// actionOf returns what a pipeline does; nil: it is not known.
func actionOf(p approval.Pipeline, dir string) CommandAction {
	for _, filter := range p.Commands[1:] {
		if operands, ok := operandsOf(filter); !ok || len(operands) > 0 {
			return nil
		}
	}
	command := p.Commands[0]
	operands, ok := operandsOf(command)
	switch {
	case !ok:
		return nil
	case slices.Contains(readers, command[0]) && len(operands) == 1:
		path := operands[0]
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return ReadCommandAction{Command: p.Text, Name: filepath.Base(path), Path: path}
	case command[0] == "ls" && len(operands) <= 1:
		return ListFilesCommandAction{Command: p.Text, Path: nullString(strings.Join(operands, ""))}
	case (command[0] == "grep" || command[0] == "rg") && (len(operands) == 1 || len(operands) == 2):
		return SearchCommandAction{Command: p.Text, Query: nullString(operands[0]), Path: nullString(strings.Join(operands[1:], ""))}
	}
	return nil
}

// readers are the programs that write the files of their operands.
var readers = []string{"cat", "head", "tail", "nl"}

// A programOptions is the options of a program that are known: of one letter each.
type programOptions struct {
	flags  string // without a value
	values string // with one
}

var knownOptions = map[string]programOptions{
	"cat":  {"AbEensTtv", ""},
	"head": {"qv", "nc"},
	"tail": {"qv", "nc"},
	"nl":   {"", "b"},
	"wc":   {"clmwL", ""},
	"ls":   {"1aAlhFRrtS", ""},
	"grep": {"rRniIlLwxHhEFqcvos", "ABCm"},
	"rg":   {"niIlwxHFScNvou", "ABCmgt"},
}

// operandsOf returns the arguments of a command that are no options; false: it has an option that is not known.
func operandsOf(command []string) (operands []string, ok bool) {
	known, ok := knownOptions[command[0]]
	if !ok {
		return nil, false
	}
	args := command[1:]
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			return append(operands, args[i+1:]...), true
		case arg == "-" || arg == "":
			return nil, false
		case arg[0] != '-':
			operands = append(operands, arg)
			continue
		}
		takesNext, ok := known.accepts(arg[1:])
		if !ok {
			return nil, false
		}
		if takesNext {
			i++
		}
	}
	return operands, true
}

// accepts reports whether options that are written together are known, and whether the next argument is the value of the last.
func (o programOptions) accepts(letters string) (takesNext, ok bool) {
	for i, letter := range letters {
		switch {
		case strings.ContainsRune(o.values, letter):
			return i == len(letters)-1, true
		case !strings.ContainsRune(o.flags, letter):
			return false, false
		}
	}
	return false, true
}
