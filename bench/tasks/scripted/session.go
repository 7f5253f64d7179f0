package scripted

import (
	"fmt"
	"os/exec"
	"regexp"
	"strconv"
	"strings"

	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/bench/tasks/task"
)

// A session is one model at work on one task. It runs as a coroutine of its Model: ask hands over an
// answer and returns when the next request is there.
type session struct {
	*Temperament
	task  *task.Task
	work  string
	seen  *chat.Conversation // the last request
	yield func(chat.Answer) bool

	calls    int               // made so far, for their ids
	exact    bool              // it was taught to write arguments as the schema has them
	patient  bool              // it gives commands the time that they need
	commands bool              // it makes patches by commands, whatever tools there are
	patched  int               // how many patches it made by commands
	paths    map[string]string // other names of files, as they were found out
	habits   map[string]string // the names by which it calls tools, by verb
	facts    map[string]fact
}

// A fact is something that the model has found out. It is in the conversation, or has to be found out again.
type fact struct {
	path string
	want *regexp.Regexp
}

func newSession(temperament *Temperament, t *task.Task, work string) *session {
	return &session{
		Temperament: temperament, task: t, work: work,
		paths: map[string]string{}, habits: map[string]string{}, facts: map[string]fact{},
	}
}

// finished ends a session from within.
type finished struct{ text string }

// answers carries out the plan.
func (s *session) answers(yield func(chat.Answer) bool) {
	s.yield = yield
	defer func() {
		switch end := recover().(type) {
		case nil:
		case finished:
			if end.text != "" {
				yield(chat.Answer{Text: end.text})
			}
		default:
			panic(end)
		}
	}()
	s.checkTask()
	for _, step := range s.task.Plan {
		s.carryOut(step)
	}
}

func (s *session) carryOut(step task.Step) {
	switch step.Verb {
	case "look":
		s.look(step.Args[0], step.Want)
	case "together":
		s.readAll(step.Args)
	case "learn":
		s.facts[step.Args[0]] = fact{step.Args[1], step.Want}
		s.look(step.Args[1], step.Want)
	case "change":
		s.change(step.Files)
	case "rewrite":
		s.rewrite(step.Files[0])
	case "write":
		f := step.Files[0]
		if f.Text = s.expand(f.Text); s.patches && f.Add && len(f.Text) < s.task.Output {
			s.change([]task.FileChange{f})
			return
		}
		s.write(f.Path, f.Text)
	case "rename":
		s.rename(step.Args[0], step.Args[1])
	case "run":
		s.runUntil(s.expand(step.Command), step.Want)
	case "insist":
		s.insist(step.Command)
	case "serve":
		s.serve(step.Command, step.Probe)
	case "use":
		s.habits[step.Args[0]] = step.Args[1]
	case "commands":
		s.commands = true
	case "user":
		s.user(step.Command)
	case "empty":
		s.ask(chat.Answer{})
	case "refuse":
		status, err := strconv.Atoi(step.Args[0])
		if err != nil {
			panic(err) // a mistake in the task
		}
		s.ask(chat.Answer{Status: status, Reason: step.Command})
	case "say":
		panic(finished{s.expand(step.Command)})
	}
}

// ask hands over an answer and returns when the next request is there.
func (s *session) ask(a chat.Answer) {
	a.Limit = s.task.Output
	if !s.yield(a) {
		panic(finished{})
	}
	s.checkTask()
}

// checkTask ends the session if the request does not say what the user wants.
func (s *session) checkTask() {
	first, _, _ := strings.Cut(s.task.Prompt, "\n")
	if !strings.Contains(s.seen.Text(), first) {
		panic(finished{"I do not know what I am to do."})
	}
}

// call makes calls in one answer and returns their results.
func (s *session) call(calls ...chat.Call) []chat.Result {
	for i := range calls {
		s.calls++
		calls[i].ID = fmt.Sprintf("call_%04d", s.calls)
	}
	s.ask(chat.Answer{Calls: calls})
	results := make([]chat.Result, len(calls))
	for i, c := range calls {
		results[i], _ = s.seen.Result(c.ID)
		if !results[i].Failed {
			results[i].Failed = failure.MatchString(results[i].Text)
		}
	}
	return results
}

// do makes one call. If the tool or its arguments are refused, it is made again as the error says.
func (s *session) do(verb string, form func() chat.Call) chat.Result {
	const tries = 3
	for try := 1; ; try++ {
		c := form()
		if habit, ok := s.habits[verb]; ok {
			c.Name = habit
		}
		r := s.call(c)[0]
		switch {
		case try == tries:
			return r
		case unknownTool.MatchString(r.Text):
			delete(s.habits, verb)
		case badArguments.MatchString(r.Text):
			s.exact = true
		default:
			return r
		}
	}
}

// user runs a command as the user does, beside the program.
func (s *session) user(command string) {
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = s.work
	if out, err := cmd.CombinedOutput(); err != nil {
		panic(fmt.Sprintf("scripted: the user's command %q: %v\n%s", command, err, out)) // a mistake in the task
	}
}

// expand replaces the names of facts by what is known of them. What is not in the conversation any
// more is looked up again.
func (s *session) expand(text string) string {
	for name, f := range s.facts {
		if !strings.Contains(text, "$"+name) {
			continue
		}
		if !s.sees(f.want) {
			s.look(f.path, f.want)
		}
		if found := f.want.FindStringSubmatch(withoutNumbers(s.seen.Text())); len(found) > 1 {
			text = strings.ReplaceAll(text, "$"+name, found[1])
		}
	}
	return text
}

func (s *session) sees(want *regexp.Regexp) bool {
	return want.MatchString(withoutNumbers(s.seen.Text()))
}

// summary returns what a model writes that summarises: of the facts those that it is shown.
func (s *session) summary(c *chat.Conversation) string {
	text := withoutNumbers(c.Text())
	var b strings.Builder
	b.WriteString("## Goal\nAs the user wrote.\n\n## State\nWork is in progress.\n\n## Files\n")
	for _, f := range s.facts {
		if found := f.want.FindString(text); found != "" {
			fmt.Fprintf(&b, "%s has\n%s\n", f.path, found)
		}
	}
	b.WriteString("\n## Next steps\nGo on where the messages end.\n")
	return b.String()
}
