package task

import (
	"fmt"
	"regexp"
	"strings"
)

// A Step is one line of a plan: a verb and what belongs to it. How a step is carried out, and in how
// many calls, is up to the model.
//
//	look FILE REGEXP        find the line of the file that matches; the file may have another name
//	together FILE...        read all of these files
//	learn NAME FILE REGEXP  find out what the group of the expression matches; $NAME stands for it later
//	change FILE:CHANGE...   make these changes; +FILE:TEXT adds a file, -FILE deletes one
//	rewrite FILE:CHANGE     make the change by writing the whole file; a guess is all of it
//	write FILE:TEXT         write the file, without looking whether it exists
//	rename OLD NEW          replace a word in all files
//	run COMMAND             run a command; with " => REGEXP" at its end until the expression was seen
//	insist COMMAND          run a command that fails, and hope
//	serve COMMAND => PROBE  start a server in the background and run a command that needs it
//	use VERB NAME           call the tool for VERB (run, look or change) by a name of another agent
//	commands                from here on patches are made by commands, whatever tools there are
//	user COMMAND            the user runs a command meanwhile
//	empty                   answer with nothing
//	refuse STATUS [TEXT]    the provider refuses a request, once
//	say TEXT                end the turn
type Step struct {
	Verb    string
	Args    []string
	Command string         // of run, insist, serve and user; the text of say and refuse
	Want    *regexp.Regexp // what look, learn and run look for; nil: nothing
	Probe   string         // of serve
	Files   []FileChange   // of change, rewrite and write
}

// A FileChange is what a step does to one file.
type FileChange struct {
	Path   string
	Change Change // of a file that exists
	Text   string // of a file that is written as a whole
	Add    bool
	Delete bool
}

// arguments is how many words follow each verb; the rest of the line is a command, a text or an expression.
var arguments = map[string]int{
	"look": 1, "together": 0, "learn": 2, "change": 0, "rewrite": 0, "write": 0, "rename": 2, "run": 0,
	"insist": 0, "serve": 0, "use": 2, "commands": 0, "user": 0, "empty": 0, "refuse": 1, "say": 0,
}

func (t *Task) parsePlan(plan string) error {
	for line := range strings.Lines(plan) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		s, err := t.parseStep(line)
		if err != nil {
			return fmt.Errorf("step %q: %w", line, err)
		}
		t.Plan = append(t.Plan, s)
	}
	if len(t.Plan) == 0 || t.Plan[len(t.Plan)-1].Verb != "say" {
		return fmt.Errorf("the plan has to end with say")
	}
	return nil
}

func (t *Task) parseStep(line string) (s Step, err error) {
	verb, rest, _ := strings.Cut(line, " ")
	n, ok := arguments[verb]
	if !ok {
		return Step{}, fmt.Errorf("there is no verb %s", verb)
	}
	s.Verb = verb
	for range n {
		var word string
		if word, rest, _ = strings.Cut(rest, " "); word == "" {
			return Step{}, fmt.Errorf("%s takes %d words", verb, n)
		}
		s.Args = append(s.Args, word)
	}
	switch verb {
	case "look", "learn":
		s.Want, err = regexp.Compile("(?m)" + rest)
	case "together":
		s.Args = strings.Fields(rest)
	case "run":
		command, want, found := strings.Cut(rest, " => ")
		if s.Command = command; found {
			s.Want, err = regexp.Compile("(?m)" + want)
		}
	case "serve":
		s.Command, s.Probe, _ = strings.Cut(rest, " => ")
	case "change", "rewrite", "write":
		s.Files, err = t.parseFiles(strings.Fields(rest))
	default:
		s.Command = rest
	}
	return s, err
}

func (t *Task) parseFiles(words []string) (files []FileChange, err error) {
	for _, word := range words {
		path, name, _ := strings.Cut(word, ":")
		change, isChange := t.changes[name]
		text, isText := t.texts[name]
		switch {
		case path[0] == '-':
			files = append(files, FileChange{Path: path[1:], Delete: true})
		case isText:
			added, add := strings.CutPrefix(path, "+")
			files = append(files, FileChange{Path: added, Text: text, Add: add})
		case isChange:
			files = append(files, FileChange{Path: path, Change: change})
		default:
			return nil, fmt.Errorf("there is no change or text %q", name)
		}
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("no file is named")
	}
	return files, nil
}
