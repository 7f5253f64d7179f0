package batch

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/configfile"
)

// The limits of a tasks file.
const (
	MaxLine   = 1 << 20 // bytes
	MaxTasks  = 1_000_000
	maxLines  = 2 * MaxTasks // also of empty ones
	maxBytes  = 1 << 30
	maxErrors = 20 // that are reported
)

// A LineError is what is wrong with a line of a tasks file.
type LineError struct {
	Line int // 1, 2, 3 …
	Err  error
}

func (e LineError) Error() string { return fmt.Sprintf("line %d: %v", e.Line, e.Err) }

// Unwrap returns what is wrong.
func (e LineError) Unwrap() error { return e.Err }

// LineErrors are the first errors of a tasks file.
type LineErrors struct {
	First []LineError
	Total int
}

func (e *LineErrors) Error() string {
	var b strings.Builder
	for i, err := range e.First {
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(err.Error())
	}
	if more := e.Total - len(e.First); more > 0 {
		fmt.Fprintf(&b, "\n… and %d more", more)
	}
	return b.String()
}

// A taskLine is a line as it is written. The pointers distinguish a member that is missing from one with the zero value.
type taskLine struct {
	ID           *string           `json:"id"`
	Prompt       string            `json:"prompt"`
	Repo         string            `json:"repo"`
	Ref          string            `json:"ref"`
	Dir          string            `json:"dir"`
	Model        string            `json:"model"`
	Backend      string            `json:"backend"`
	Sandbox      string            `json:"sandbox"`
	Network      bool              `json:"network"`
	Instructions string            `json:"instructions"`
	Verify       []string          `json:"verify"`
	Budget       Budget            `json:"budget"`
	Timeout      *Duration         `json:"timeout"`
	Attempts     *int              `json:"attempts"`
	RetryOn      []Cause           `json:"retry_on"`
	Labels       map[string]string `json:"labels"`
}

// Parse reads a tasks file: a JSON object a line; empty lines are skipped. The tasks have the defaults. An error of the
// content is a *LineErrors, and no task is returned with it. It reads no further than a tasks file can be long: r may be a
// device or a program that writes without end.
func Parse(r io.Reader, d Defaults) ([]Task, error) {
	return parse(r, d, maxBytes, maxLines)
}

func parse(r io.Reader, d Defaults, size int64, count int) ([]Task, error) {
	p := parser{defaults: d, lines: map[string]int{}}
	limited := &io.LimitedReader{R: r, N: size + 1}
	lines := bufio.NewReaderSize(limited, 64<<10)
	for number := 1; ; number++ {
		line, err := readLine(lines)
		switch {
		case limited.N == 0:
			return nil, p.end(number, fmt.Errorf("the tasks are longer than %d MiB", size>>20))
		case err == io.EOF && len(line) == 0:
			return p.result()
		case number > count:
			return nil, p.end(number, fmt.Errorf("there are more than %d lines", count))
		case errors.Is(err, errLong):
			p.fail(number, err)
		case err != nil && err != io.EOF:
			return nil, fmt.Errorf("read the tasks: %w", err)
		default:
			if number == 1 {
				line = bytes.TrimPrefix(line, []byte("\ufeff"))
			}
			p.line(number, line)
		}
		if len(p.tasks) > MaxTasks {
			return nil, p.end(number, fmt.Errorf("there are more than %d tasks", MaxTasks))
		}
	}
}

var errLong = fmt.Errorf("the line is longer than %d MiB", MaxLine>>20)

// readLine returns a line without its end. It reads over the rest of one that is too long.
func readLine(r *bufio.Reader) (line []byte, err error) {
	long := false
	for {
		part, err := r.ReadSlice('\n')
		if line = append(line, part...); len(line) > MaxLine+1 {
			line, long = line[:0], true
		}
		switch {
		case err == bufio.ErrBufferFull:
			continue
		case long:
			return nil, errLong
		}
		return bytes.TrimSuffix(line, []byte("\n")), err
	}
}

type parser struct {
	defaults Defaults
	tasks    []Task
	lines    map[string]int // by id
	failed   LineErrors
}

func (p *parser) result() ([]Task, error) {
	switch {
	case p.failed.Total > 0:
		return nil, &p.failed
	case len(p.tasks) == 0:
		return nil, &LineErrors{[]LineError{{1, errors.New("there is no task")}}, 1}
	}
	return p.tasks, nil
}

// end returns the error of tasks that are not read further; those of lines before it say more, if there are any.
func (p *parser) end(number int, err error) error {
	p.fail(number, err)
	return &p.failed
}

func (p *parser) fail(number int, err error) {
	if p.failed.Total++; len(p.failed.First) < maxErrors {
		p.failed.First = append(p.failed.First, LineError{number, err})
	}
}

func (p *parser) line(number int, line []byte) {
	if len(bytes.TrimSpace(line)) == 0 {
		return
	}
	task, err := ParseTask(line, p.defaults)
	if err != nil {
		p.fail(number, err)
		return
	}
	if first, twice := p.lines[task.ID]; twice {
		p.fail(number, fmt.Errorf("the id %s is that of line %d, too", task.ID, first))
		return
	}
	p.lines[task.ID] = number
	p.tasks = append(p.tasks, task)
}

// ParseTask reads a line of a tasks file.
func ParseTask(line []byte, d Defaults) (Task, error) {
	var l taskLine
	if kind := jsontext.Value(line).Kind(); kind != '{' {
		return Task{}, errors.New("want a JSON object")
	}
	if err := json.Unmarshal(line, &l, json.RejectUnknownMembers(true)); err != nil {
		return Task{}, errors.New(problem(err, &l))
	}
	task := Task{
		Prompt: l.Prompt, Repo: l.Repo, Ref: l.Ref, Dir: l.Dir, Model: l.Model, Backend: l.Backend, Sandbox: l.Sandbox,
		Network: l.Network, Instructions: l.Instructions, Verify: l.Verify, Budget: l.Budget, RetryOn: l.RetryOn, Labels: l.Labels,
	}
	switch {
	case l.ID != nil && *l.ID == "":
		return Task{}, errors.New("id: it is empty")
	case l.ID != nil:
		task.ID = *l.ID
	default:
		id, err := taskID(line)
		if err != nil {
			return Task{}, err
		}
		task.ID = id
	}
	if l.Timeout != nil {
		if task.Timeout = *l.Timeout; *l.Timeout <= 0 {
			return Task{}, errors.New("timeout: want more than 0")
		}
	}
	if l.Attempts != nil {
		if task.Attempts = *l.Attempts; *l.Attempts <= 0 {
			return Task{}, errors.New("attempts: want more than 0")
		}
	}
	task = task.withDefaults(d)
	return task, task.check()
}

// problem describes an error of a line.
func problem(err error, into any) string {
	var syntax *jsontext.SyntacticError
	if errors.As(err, &syntax) && syntax.Err != nil && !errors.Is(err, jsontext.ErrDuplicateName) {
		return fmt.Sprintf("it is not JSON: byte %d: %v", syntax.ByteOffset+1, syntax.Err)
	}
	return configfile.Problem(err, into, "member")
}
