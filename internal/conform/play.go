package conform

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// A play is a case that is being played with a program.
type play struct {
	side    Side
	program *program
	model   *modelServer
	limits  Options

	binds     binds
	joined    map[string]*strings.Builder
	forbidden []string
	collected []string
	replies   []step
	dialogue  []string
	inputOpen bool
}

// errSkipped is a reason for which a case does not apply to a program.
type errSkipped struct{ reason string }

// Error returns the reason.
func (e *errSkipped) Error() string { return e.reason }

func (p *play) note(line string) { p.dialogue = append(p.dialogue, line) }

// steps plays all steps of a case.
func (p *play) steps(ctx context.Context, c Case) error {
	for _, st := range c.steps {
		if err := p.step(ctx, st); err != nil {
			return err
		}
	}
	return nil
}

func (p *play) step(ctx context.Context, st step) error {
	switch st.verb {
	case send:
		line, err := p.binds.expand(st.text)
		if err != nil {
			return err
		}
		p.note("> " + line)
		return p.write(line + "\n")
	case sendRaw:
		p.note(">> " + quote(st.text))
		return p.write(st.text)
	case want:
		return p.want(ctx, st.group)
	case forbid:
		p.forbidden = append(p.forbidden, st.text)
	case collect:
		p.collected = append(p.collected, st.text)
	case reply:
		p.replies = append(p.replies, st)
	case equal:
		return p.equal(st)
	case await:
		return p.await(ctx, st.n)
	case pause:
		p.note(fmt.Sprintf("  (nothing is read for %s)", st.pause))
		return wait(ctx, st.pause)
	case closeIn:
		return p.closeInput()
	case ends:
		return p.ends(ctx, st.n)
	}
	return nil
}

// write sends text. A program that does not read any more is an error of what comes next, if that is expected.
func (p *play) write(text string) error {
	if _, err := p.program.in.Write([]byte(text)); err != nil {
		p.note("  (the program has closed its input)")
	}
	return nil
}

func (p *play) closeInput() error {
	if p.inputOpen {
		p.inputOpen = false
		p.note("> (end of input)")
		p.program.in.Close()
	}
	return nil
}

// await waits for requests to the model, and reads nothing meanwhile.
func (p *play) await(ctx context.Context, n int) error {
	if err := p.model.await(ctx, n); err != nil {
		return err
	}
	p.note(fmt.Sprintf("  (the model has received %d)", n))
	return nil
}

// wait returns after a time, or when ctx ends.
func wait(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// want reads lines until one has come for each pattern of a group.
func (p *play) want(ctx context.Context, group []pattern) error {
	missing := slices.Clone(group)
	for len(missing) > 0 {
		line, more, err := p.next(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("waited for %s: %w", p.describe(missing), err)
		case !more:
			return fmt.Errorf("the output ended before %s", p.describe(missing))
		}
		value, err := p.receive(line)
		if err != nil {
			return err
		}
		for i, pattern := range missing {
			if p.matches(pattern.lines, value) {
				missing = slices.Delete(missing, i, i+1)
				break
			}
			for _, s := range pattern.skips {
				if p.matches([]string{s.line}, value) {
					return &errSkipped{s.reason}
				}
			}
		}
	}
	return nil
}

// matches reports whether a line matches one of the patterns; names get their values.
func (p *play) matches(patterns []string, value any) bool {
	for _, pattern := range patterns {
		if found, _, ok := p.binds.match(pattern, value); ok {
			maps.Copy(p.binds, found)
			return true
		}
	}
	return false
}

// describe returns patterns as a message shows them.
func (p *play) describe(missing []pattern) string {
	var all []string
	for _, m := range missing {
		all = append(all, strings.Join(m.lines, "\n  or "))
	}
	return "\n  " + strings.Join(all, "\n  and ")
}

// next returns the next line of the program; more is false at the end.
func (p *play) next(ctx context.Context) (line string, more bool, err error) {
	select {
	case line, more = <-p.program.lines:
		if !more && ctx.Err() != nil { // that is why it was killed
			return "", false, context.Cause(ctx)
		}
		return line, more, nil
	case reason := <-p.model.lacking:
		return "", false, &errSkipped{reason}
	case <-ctx.Done():
		return "", false, context.Cause(ctx)
	}
}

// receive takes a line that has come: it must be an object, and not forbidden.
func (p *play) receive(line string) (any, error) {
	p.note("< " + line)
	value, err := decode(line)
	if _, isObject := value.(map[string]any); !isObject {
		if err == nil {
			err = errors.New("it is no object")
		}
		return nil, fmt.Errorf("a line is not a JSON object: %w", err)
	}
	for _, pattern := range p.forbidden {
		if _, _, ok := p.binds.match(pattern, value); ok {
			return nil, fmt.Errorf("a line came that must not come:\n  %s", pattern)
		}
	}
	for _, pattern := range p.collected {
		_, pieces, ok := p.binds.match(pattern, value)
		for name, text := range pieces {
			if p.joined[name] == nil {
				p.joined[name] = &strings.Builder{}
			}
			if piece, isText := text.(string); ok && isText {
				p.joined[name].WriteString(piece)
			}
		}
	}
	return value, p.reply(value)
}

// reply sends the first reply whose pattern a line matches. The names of the pattern are for its reply only.
func (p *play) reply(value any) error {
	for _, r := range p.replies {
		found, _, ok := p.binds.match(r.text, value)
		if !ok {
			continue
		}
		maps.Copy(found, p.binds)
		line, err := found.expand(r.name)
		if err != nil {
			return err
		}
		p.note("> " + line)
		return p.write(line + "\n")
	}
	return nil
}

// equal compares a joined text.
func (p *play) equal(st step) error {
	var got string
	if b := p.joined[st.name]; b != nil {
		got = b.String()
	}
	if got != st.text {
		return fmt.Errorf("the pieces of text joined are %s, and not %s", short(got), short(st.text))
	}
	return nil
}

// short returns a text in quotes, long ones by their size and start.
func short(text string) string {
	if len(text) <= 200 {
		return quote(text)
	}
	return fmt.Sprintf("%d bytes that begin with %s", len(text), quote(text[:60]))
}

// ends waits until the program has ended, and checks what is left of it.
func (p *play) ends(ctx context.Context, code int) error {
	ctx, cancel := context.WithTimeoutCause(ctx, p.limits.EndLimit, fmt.Errorf("%s have passed", p.limits.EndLimit))
	defer cancel()
	for more := true; more; {
		var line string
		var err error
		if line, more, err = p.next(ctx); err != nil {
			return p.late(err)
		}
		if more {
			if _, err := p.receive(line); err != nil {
				return err
			}
		}
	}
	if p.side == Client { // the server ends at the end of its input, and some clients wait for that
		if err := p.closeInput(); err != nil {
			return err
		}
	}
	select {
	case <-p.program.ended:
	case <-ctx.Done():
		return fmt.Errorf("the program closed its output, and does not end: %w", context.Cause(ctx))
	}
	got := p.program.cmd.ProcessState.ExitCode()
	p.note(fmt.Sprintf("  (exit code %d)", got))
	if code >= 0 && got != code {
		return fmt.Errorf("exit code %d, and not %d", got, code)
	}
	return p.leftNothing()
}

// late returns why the end of the output has not come.
func (p *play) late(err error) error {
	select {
	case <-p.program.ended:
		if err := p.leftNothing(); err != nil {
			return err
		}
		return fmt.Errorf("the program has ended, and its output has not: %w", err)
	default:
		return fmt.Errorf("the program does not end: %w", err)
	}
}

// leftNothing checks that no process of the program is there.
func (p *play) leftNothing() error {
	left := p.program.left()
	if len(left) == 0 {
		return nil
	}
	var all []string
	for _, l := range left {
		all = append(all, fmt.Sprintf("\n  %d %s", l.pid, l.command))
	}
	return fmt.Errorf("the program has ended, and its processes have not:%s", strings.Join(all, ""))
}
