package transcript

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// A play is the state of a transcript that is being played.
type play struct {
	script  *script
	opts    Options
	folders folders
	binds   binds
	said    []string // the dialogue so far
	starts  int
	passed  []string // lines that match these are skipped
	later   []string // each must come once more, in any order, before the program ends

	program   *program
	args      string // of the program, shell words
	inputOpen bool
	outputEnd bool   // all output was read
	signal    string // the last that was sent; "": none
	exited    bool
}

// perform plays s in new folders below root. The error reports what differs, and shows the dialogue up
// to there and the program's standard error.
func perform(ctx context.Context, s *script, o Options, root string) error {
	p, err := begin(ctx, s, o, root)
	if err != nil {
		return err
	}
	defer func() { p.program.discard() }()
	for _, st := range s.steps {
		if err := p.step(ctx, st); err != nil {
			return p.report(st.line, err)
		}
	}
	if err := p.finish(ctx, nil); err != nil {
		return p.report(0, err)
	}
	return nil
}

// begin creates the folders and starts the program.
func begin(ctx context.Context, s *script, o Options, root string) (*play, error) {
	where, err := makeFolders(s, root)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	names, err := where.binds()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	p := &play{script: s, opts: o, folders: where, binds: names, args: s.args}
	if err := p.start(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	return p, nil
}

func (p *play) start(ctx context.Context) error {
	l, err := p.folders.launch(p.script, p.opts, p.starts, p.args)
	if err != nil {
		return err
	}
	p.starts++
	p.inputOpen, p.outputEnd, p.signal, p.exited = true, false, "", false
	if p.opts.Binary == "" {
		p.program = startServe(ctx, p.opts, l)
		return nil
	}
	program, err := startBinary(ctx, p.opts.Binary, l)
	if err != nil {
		return err
	}
	p.program = program
	return nil
}

func (p *play) step(ctx context.Context, st step) error {
	switch st.verb {
	case send:
		return p.send(st.text)
	case closeInput:
		p.closeInput()
	case want:
		return p.want(ctx, st.text, false)
	case wantPieces:
		return p.want(ctx, st.text, true)
	case wantLater:
		p.later = append(p.later, st.text)
	case wantEnd:
		return p.wantEnd(ctx)
	case passOver:
		p.passed = append(p.passed, st.text)
	case awaitFile:
		return p.awaitFile(ctx, st.text)
	case touch:
		p.note("touch " + st.text)
		return os.WriteFile(filepath.Join(p.folders.work, st.text), nil, 0o644)
	case has:
		p.note("file " + st.text)
		return p.folders.has(st.text)
	case clean:
		return p.folders.clean()
	case quiet:
		return p.quiet(ctx)
	case signal:
		return p.sendSignal(st.text)
	case exit:
		return p.finish(ctx, &st.code)
	case restart:
		return p.restart(ctx, st.text)
	}
	return nil
}

func (p *play) send(text string) error {
	line, err := p.binds.expandLine(text)
	if err != nil {
		return err
	}
	p.note("> " + line)
	if _, err := p.program.stdin.Write([]byte(line + "\n")); err != nil {
		return fmt.Errorf("the program does not read any more: %w", err)
	}
	return nil
}

// closeInput ignores errors: a program that has ended has no input.
func (p *play) closeInput() {
	if p.inputOpen {
		p.inputOpen = false
		p.note("> EOF")
		p.program.stdin.Close()
	}
}

func (p *play) want(ctx context.Context, line string, pieces bool) error {
	m := matcher{binds: p.binds, pieces: pieces}
	for {
		got, ok, err := p.next(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("waiting for\n  %s\n%w", line, err)
		case !ok:
			return fmt.Errorf("the output ended\nwant %s", line)
		}
		if err := m.line(line, got); err != nil {
			return fmt.Errorf("%w\nwant %s\n got %s", err, line, got)
		}
		if !m.open {
			return nil
		}
	}
}

func (p *play) wantEnd(ctx context.Context) error {
	got, ok, err := p.next(ctx)
	switch {
	case err != nil:
		return fmt.Errorf("waiting for the end of output: %w", err)
	case ok:
		return fmt.Errorf("unexpected line\n got %s", got)
	}
	return nil
}

// quiet sends the probe, whose answer must be the next output.
func (p *play) quiet(ctx context.Context) error {
	if p.opts.Probe.Send == "" {
		return errors.New("quiet needs Options.Probe")
	}
	if err := p.send(p.opts.Probe.Send); err != nil {
		return err
	}
	for _, line := range p.opts.Probe.Want {
		if err := p.want(ctx, line, false); err != nil {
			return fmt.Errorf("not quiet: %w", err)
		}
	}
	return nil
}

func (p *play) sendSignal(name string) error {
	p.note("! signal " + name)
	p.signal = name
	return p.program.signal(signals[name])
}

func (p *play) restart(ctx context.Context, args string) error {
	if err := p.finish(ctx, nil); err != nil {
		return err
	}
	if args != "" {
		p.args = p.binds.expandText(args)
	}
	p.note("restart " + p.args)
	return p.start(ctx)
}

// next returns the next line of output that is neither skipped nor one of p.later; ok is false at the end.
func (p *play) next(ctx context.Context) (line string, ok bool, err error) {
	for {
		line, ok, err = p.read(ctx)
		if !ok || err != nil || !p.wasDue(line) && !p.passesOver(line) {
			return line, ok, err
		}
	}
}

// wasDue reports whether a line is one of p.later, and removes it from those.
func (p *play) wasDue(line string) bool {
	for i, due := range p.later {
		m := matcher{binds: maps.Clone(p.binds)}
		if m.line(due, line) == nil {
			maps.Copy(p.binds, m.binds)
			p.later = slices.Delete(p.later, i, i+1)
			return true
		}
	}
	return false
}

func (p *play) passesOver(line string) bool {
	return slices.ContainsFunc(p.passed, func(like string) bool {
		m := matcher{binds: maps.Clone(p.binds)}
		return m.line(like, line) == nil
	})
}

// read returns the next line of output.
func (p *play) read(ctx context.Context) (line string, ok bool, err error) {
	if p.outputEnd {
		return "", false, nil
	}
	select {
	case line, ok = <-p.program.lines:
	case <-ctx.Done():
	}
	if ctx.Err() != nil {
		return "", false, context.Cause(ctx)
	}
	if !ok {
		p.outputEnd = true
		p.note("< EOF")
		return "", false, nil
	}
	p.note("< " + line)
	return line, true, nil
}

// finish ends the program by closing its input. There must be no more output, and the exit code
// must be code; without one it must be 0, unless a signal was sent. The pending output of a killed
// program is ignored.
func (p *play) finish(ctx context.Context, code *int) error {
	if p.exited {
		return nil
	}
	p.closeInput()
	for {
		line, more, err := p.next(ctx)
		switch {
		case err != nil:
			return fmt.Errorf("the program does not end: %w", err)
		case more && p.signal != "KILL":
			return fmt.Errorf("unexpected line\n got %s", line)
		}
		if !more {
			break
		}
	}
	if len(p.later) > 0 && p.signal != "KILL" {
		return fmt.Errorf("the output ended\nwant %s", p.later[0])
	}
	p.later = nil
	select {
	case <-p.program.ended:
	case <-ctx.Done():
		return fmt.Errorf("the program closed its output, but does not end: %w", context.Cause(ctx))
	}
	p.exited = true
	got := p.program.code
	switch {
	case p.program.err != nil:
		return fmt.Errorf("the program ended badly: %w", p.program.err)
	case code != nil && got != *code:
		return fmt.Errorf("exit code %d, want %d", got, *code)
	case code == nil && got != 0 && p.signal == "":
		return fmt.Errorf("exit code %d, want 0", got)
	}
	return nil
}

func (p *play) note(line string) { p.said = append(p.said, line) }
