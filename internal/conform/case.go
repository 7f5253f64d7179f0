package conform

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/rogpeppe/go-internal/txtar"
)

// A Case is one demand of a protocol, and a dialogue that shows whether a program meets it.
type Case struct {
	Name        string
	Title       string
	Source      string // the place of the demand in the documentation
	Recommended bool   // the case does not fail a run

	model []answer
	steps []step
}

// A verb is the action of a line of a dialogue.
type verb string

// The verbs.
const (
	send     verb = ">"
	sendRaw  verb = ">>"
	want     verb = "<"
	also     verb = "&"
	instead  verb = "|"
	skipIf   verb = "?"
	forbid   verb = "!"
	collect  verb = "collect"
	reply    verb = "on"
	equal    verb = "equal"
	await    verb = "model"
	pause    verb = "pause"
	closeIn  verb = "eof"
	ends     verb = "ends"
	perform  verb = "do"
	remark   verb = "#"
	anything      = "*"
)

// A step is one line of a dialogue.
type step struct {
	verb  verb
	text  string        // the argument
	name  string        // of equal; of on: the reply
	n     int           // of model, and of ends: the exit code, or -1
	pause time.Duration // of pause
	group []pattern     // of want: lines that come in any order
}

// A pattern is an expected line, or several of which one must come.
type pattern struct {
	lines []string
	skips []skip
}

// A skip is a line that shows that a program lacks what the case is about.
type skip struct{ line, reason string }

// parse returns the case of a file.
func parse(name string, data []byte, common map[string][]byte) (Case, error) {
	archive := txtar.Parse(data)
	c := Case{Name: name}
	for line := range strings.Lines(string(archive.Comment)) {
		line = strings.TrimSpace(line)
		source, isSource := strings.CutPrefix(line, "source: ")
		switch {
		case line == "":
		case isSource:
			c.Source = source
		case line == "severity: recommended":
			c.Recommended = true
		case c.Title == "":
			c.Title = line
		default:
			return c, fmt.Errorf("unexpected line %q", line)
		}
	}
	if c.Title == "" || c.Source == "" {
		return c, errors.New("a case needs a title and a source")
	}
	for _, f := range archive.Files {
		switch f.Name {
		case "model":
			a, err := parseAnswer(string(f.Data))
			if err != nil {
				return c, err
			}
			c.model = append(c.model, a)
		case "wire":
			if err := c.dialogue(string(f.Data), common); err != nil {
				return c, err
			}
		default:
			return c, fmt.Errorf("unexpected section %s", f.Name)
		}
	}
	if len(c.steps) == 0 {
		return c, errors.New("the dialogue is empty")
	}
	return c, nil
}

// dialogue parses lines of a dialogue.
func (c *Case) dialogue(text string, common map[string][]byte) error {
	for raw := range strings.Lines(text) {
		raw = strings.TrimRight(raw, "\r\n")
		word, rest, _ := strings.Cut(raw, " ")
		if word == "" || verb(word) == remark {
			continue
		}
		if verb(word) == perform {
			section, ok := common[rest]
			if !ok {
				return fmt.Errorf("common.txtar has no section %q, only %s", rest, strings.Join(slices.Sorted(maps.Keys(common)), ", "))
			}
			if err := c.dialogue(string(section), nil); err != nil {
				return fmt.Errorf("section %s: %w", rest, err)
			}
			continue
		}
		if err := c.line(verb(word), rest); err != nil {
			return fmt.Errorf("%q: %w", raw, err)
		}
	}
	return nil
}

// line adds one line of a dialogue.
func (c *Case) line(v verb, rest string) error {
	st := step{verb: v, text: rest}
	var err error
	switch v {
	case send, closeIn:
	case sendRaw:
		st.text, err = strconv.Unquote(rest)
	case want:
		st.group = []pattern{{lines: []string{rest}}}
		err = valid(rest)
	case also, instead, skipIf:
		return c.extend(v, rest)
	case forbid, collect:
		err = valid(rest)
	case reply:
		st.text, st.name, err = cutValue(rest)
	case equal:
		var text string
		st.name, text, _ = strings.Cut(rest, " ")
		st.text, err = parseText(text)
	case await:
		st.n, err = strconv.Atoi(rest)
	case pause:
		st.pause, err = time.ParseDuration(rest)
	case ends:
		st.n = -1
		if rest != "" {
			st.n, err = strconv.Atoi(rest)
		}
	default:
		err = errors.New("unknown verb")
	}
	c.steps = append(c.steps, st)
	return err
}

// extend adds to the expected lines of the last step.
func (c *Case) extend(v verb, rest string) error {
	if len(c.steps) == 0 || c.steps[len(c.steps)-1].verb != want {
		return errors.New("no expected line above it")
	}
	last := &c.steps[len(c.steps)-1]
	p := &last.group[len(last.group)-1]
	switch v {
	case also:
		last.group = append(last.group, pattern{lines: []string{rest}})
	case instead:
		p.lines = append(p.lines, rest)
	default:
		line, reason, err := cutValue(rest)
		p.skips = append(p.skips, skip{line, reason})
		return err
	}
	return valid(rest)
}

// cutValue divides a text into the JSON value at its beginning and what follows, which must be there.
func cutValue(text string) (value, rest string, err error) {
	d := jsontext.NewDecoder(strings.NewReader(text))
	v, err := d.ReadValue()
	if err != nil {
		return "", "", err
	}
	rest = strings.TrimSpace(text[d.InputOffset():])
	if rest == "" {
		return "", "", errors.New("nothing follows the pattern")
	}
	return string(v), rest, nil
}

// valid returns an error if an expected line is not JSON.
func valid(line string) error {
	if !jsontext.Value(line).IsValid() {
		return errors.New("the expected line is not JSON")
	}
	return nil
}

// parseText returns a text in quotes, or that of a flood.
func parseText(text string) (string, error) {
	if n, ok := strings.CutPrefix(text, "flood "); ok {
		count, err := strconv.Atoi(n)
		return strings.Join(flood(count), ""), err
	}
	return strconv.Unquote(text)
}
