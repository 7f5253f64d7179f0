// Package task reads the tasks of the bench of work: the files that a task begins with, its
// prompt, what a model sets out to do, and how the result is checked. It knows no model.
//
// A task is a txtar file. Its comment is its title; its sections are
//
//	-- prompt --          what the user asks for
//	-- settings --        lines "window TOKENS", or "hidden_window TOKENS" if the program does not know
//	                      it, and "output BYTES": limits of the model; "patience MS": how long a
//	                      model gives commands that does not think of it
//	-- workspace/NAME --  a file of the workspace
//	-- setup --           shell commands that make the rest of the workspace
//	-- plan --            what a model sets out to do, one step a line; see Step
//	-- NAME/old --        a text of a file, exactly as it is there
//	-- NAME/new --        what comes in its place
//	-- NAME/guess --      how a model remembers the old text that does not look at it, and, if that is
//	-- NAME/guess-new --  written in another way, too, the new one
//	-- text/NAME --       a whole file that a model writes
//	-- check --           shell commands that fail unless the task is done
package task

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// Limits of a model where a task sets none: no task comes near them.
const (
	defaultWindow = 200_000 // tokens
	defaultOutput = 100_000 // bytes of one answer

	defaultPatience = 30_000 // milliseconds
)

// A Task is one piece of work.
type Task struct {
	Name   string // of its file, without the extension
	Title  string
	Prompt string
	Setup  string // shell
	Check  string // shell
	Plan   []Step
	Window int // tokens of the model's context
	Output int // bytes of an answer after which it is cut off

	Patience int // milliseconds for a command

	HiddenWindow bool // the program does not know the window

	files   []txtar.File // of the workspace
	changes map[string]Change
	texts   map[string]string
}

// A Change is a text of a file and what comes in its place. Neither ends with a line feed.
type Change struct {
	Old      string
	New      string
	Guess    string // "": a model that does not look gets it right
	GuessNew string // what comes in place of Guess; "": New
}

// Guessed returns the change as a model makes it that does not look.
func (c Change) Guessed() (old, new string) {
	return cmp.Or(c.Guess, c.Old), cmp.Or(c.GuessNew, c.New)
}

// Load reads every task of a folder, in the order of their names.
func Load(dir string) ([]*Task, error) {
	paths, err := filepath.Glob(filepath.Join(dir, "*.txtar"))
	if err != nil {
		return nil, err
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("there are no tasks in %s", dir)
	}
	var tasks []*Task
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		t, err := Parse(strings.TrimSuffix(filepath.Base(path), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// Parse reads one task.
func Parse(name string, data []byte) (*Task, error) {
	archive := txtar.Parse(data)
	t := &Task{
		Name: name, Title: strings.TrimSpace(string(archive.Comment)), Window: defaultWindow, Output: defaultOutput, Patience: defaultPatience,
		changes: map[string]Change{}, texts: map[string]string{},
	}
	var plan string
	for _, f := range archive.Files {
		text := string(f.Data)
		folder, rest, _ := strings.Cut(f.Name, "/")
		switch {
		case f.Name == "prompt":
			t.Prompt = strings.TrimSpace(text)
		case f.Name == "settings":
			if err := t.set(text); err != nil {
				return nil, err
			}
		case f.Name == "setup":
			t.Setup = text
		case f.Name == "check":
			t.Check = text
		case f.Name == "plan":
			plan = text
		case folder == "workspace":
			t.files = append(t.files, txtar.File{Name: rest, Data: f.Data})
		case folder == "text":
			t.texts[rest] = text
		default:
			if err := t.addChange(folder, rest, strings.TrimSuffix(text, "\n")); err != nil {
				return nil, err
			}
		}
	}
	switch {
	case t.Title == "":
		return nil, fmt.Errorf("there is no title")
	case t.Prompt == "":
		return nil, fmt.Errorf("there is no prompt")
	case t.Check == "":
		return nil, fmt.Errorf("there is no check")
	}
	return t, t.parsePlan(plan)
}

func (t *Task) set(settings string) error {
	for line := range strings.Lines(settings) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.Atoi(value)
		if err != nil {
			return fmt.Errorf("setting %s: %w", name, err)
		}
		switch name {
		case "window":
			t.Window = n
		case "hidden_window":
			t.Window, t.HiddenWindow = n, true
		case "output":
			t.Output = n
		case "patience":
			t.Patience = n
		default:
			return fmt.Errorf("there is no setting %q", name)
		}
	}
	return nil
}

func (t *Task) addChange(name, part, text string) error {
	c := t.changes[name]
	switch part {
	case "old":
		c.Old = text
	case "new":
		c.New = text
	case "guess":
		c.Guess = text
	case "guess-new":
		c.GuessNew = text
	default:
		return fmt.Errorf("there is no section %q", name+"/"+part)
	}
	t.changes[name] = c
	return nil
}

// Furnish makes the files of the task below work; what the setup makes is left to the caller.
func (t *Task) Furnish(work string) error {
	for _, f := range t.files {
		path := filepath.Join(work, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return err
		}
	}
	return nil
}
