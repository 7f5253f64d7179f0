package offline

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"parley.dev/parley/internal/model"
)

// Parse reads a script. name stands before every error, with the line's number.
func Parse(name string, text []byte) (*Script, error) {
	p := parser{script: &Script{name: name}}
	for line := range strings.Lines(string(text)) {
		p.line++
		if err := p.parseLine(strings.TrimRight(line, "\r\n")); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.line, err)
		}
	}
	return p.script, nil
}

// A parser reads one script.
type parser struct {
	script  *Script
	line    int     // of the script, from 1
	calls   int     // so far, for their default ids
	current *answer // nil: the next line begins one
}

func (p *parser) parseLine(line string) error {
	if !utf8.ValidString(line) {
		return errors.New("not valid UTF-8")
	}
	line = strings.TrimLeft(line, " \t")
	if line == "" || line[0] == '#' {
		return nil
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "next":
		return p.next(rest)
	case "usage":
		return p.usage(rest)
	case "stop":
		return p.stop(rest)
	case "expect":
		return p.expect(rest)
	case "when":
		return p.when(rest)
	}
	if id, ok := strings.CutPrefix(word, "call@"); ok || word == "call" {
		return p.call(id, ok, rest)
	}
	read, ok := verbs.Get()[word]
	if !ok {
		return fmt.Errorf("unknown word %q", word)
	}
	s, err := read(rest)
	if err != nil {
		return fmt.Errorf("%s: %w", word, err)
	}
	a := p.add(s, open)
	if word == "fail" || word == "hang" {
		a.ended = over
	}
	return nil
}

// answer returns the current answer, or a new one if that has come further than until.
func (p *parser) answer(until ending) *answer {
	if p.current == nil || p.current.ended > until {
		p.current = &answer{}
		p.script.answers = append(p.script.answers, p.current)
	}
	return p.current
}

func (p *parser) add(s step, until ending) *answer {
	a := p.answer(until)
	a.steps = append(a.steps, s)
	return a
}

func (p *parser) next(rest string) error {
	if rest != "" {
		return errors.New("next: it stands alone")
	}
	if p.current == nil {
		return errors.New("next: there is no answer to end")
	}
	p.current = nil
	return nil
}

func (p *parser) call(id string, named bool, rest string) error {
	p.calls++
	switch {
	case !named:
		id = fmt.Sprintf("call_%d", p.calls)
	case id == "":
		return errors.New("call@: no id")
	}
	s, err := readCall(id, rest)
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	a := p.add(s, called)
	a.calls, a.ended = true, called
	return nil
}

// when begins an answer for requests that match.
func (p *parser) when(rest string) error {
	re, err := readRegexp(rest)
	if err != nil {
		return fmt.Errorf("when: %w", err)
	}
	if p.current != nil && p.current.ended != over {
		return errors.New("when: it stands at the beginning of an answer, after next")
	}
	p.current = nil
	p.answer(open).when = re
	return nil
}

func readRegexp(text string) (*regexp.Regexp, error) {
	if text == "" {
		return nil, errors.New("no regular expression")
	}
	return regexp.Compile(text)
}

func (p *parser) expect(rest string) error {
	re, err := readRegexp(rest)
	if err != nil {
		return fmt.Errorf("expect: %w", err)
	}
	where := fmt.Sprintf("%s:%d", p.script.name, p.line)
	p.add(func(s *speech) error { return s.expect(re, where) }, open)
	return nil
}

func (p *parser) stop(rest string) error {
	stop := model.Stop(strings.TrimSpace(rest))
	if !slices.Contains([]model.Stop{model.StopEnd, model.StopTools, model.StopTokens, model.StopSequence, model.StopRefused}, stop) {
		return fmt.Errorf("stop: %q is none of end, tools, max_tokens, refused", stop)
	}
	a := p.answer(called)
	a.stop, a.ended = stop, closed
	return nil
}

func (p *parser) usage(rest string) error {
	var u model.Usage
	counts := map[string]*int{
		"in": &u.Input, "out": &u.Output, "cache_read": &u.CacheRead, "cache_write": &u.CacheWrite, "thinking": &u.Thinking,
	}
	for _, field := range strings.Fields(rest) {
		key, value, _ := strings.Cut(field, "=")
		count, ok := counts[key]
		if !ok {
			return fmt.Errorf("usage: %q is none of %s", key, strings.Join(slices.Sorted(maps.Keys(counts)), ", "))
		}
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return fmt.Errorf("usage: %s=%q is not a count of tokens", key, value)
		}
		*count = n
	}
	p.answer(closed).usage = &u
	return nil
}
