package transcript

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// rewrite plays s again and replaces the groups of expected lines in its file that differ. It waits
// until the program is silent, so it is slow.
func rewrite(ctx context.Context, s *script, o Options, root string) error {
	p, err := begin(ctx, s, o, root)
	if err != nil {
		return err
	}
	defer func() { p.program.discard() }()
	var out []string
	for i := 0; i < len(s.steps); {
		if n := group(s.steps[i:]); n > 0 {
			out = append(out, p.record(ctx, s.steps[i:i+n])...)
			i += n
			continue
		}
		if err := p.step(ctx, s.steps[i]); err != nil {
			return p.report(s.steps[i].line, err)
		}
		out = append(out, s.steps[i].raw)
		i++
	}
	if err := p.finish(ctx, nil); err != nil {
		return p.report(0, fmt.Errorf("%w\nadd \"> EOF\" and \"< ?\" to record this", err))
	}
	s.archive.Files[s.wire].Data = []byte(strings.Join(out, "\n") + "\n")
	return os.WriteFile(s.name, txtar.Format(s.archive), 0o644)
}

// group returns the number of steps at the beginning that are expected lines, with the remarks
// between them.
func group(steps []step) int {
	n := 0
	for i, st := range steps {
		switch st.verb {
		case want, wantPieces:
			n = i + 1
		case remark:
		default:
			return n
		}
		if n == 0 {
			return 0
		}
	}
	return n
}

// record returns the new text of the group old: unchanged if it matches the output.
func (p *play) record(ctx context.Context, old []step) []string {
	var seen []string
	for line, ok := p.settle(ctx); ok; line, ok = p.settle(ctx) {
		seen = append(seen, line)
	}
	if names, ok := p.fits(old, seen); ok {
		p.binds = names
		out := make([]string, len(old))
		for i, st := range old {
			out[i] = st.raw
		}
		return out
	}
	return p.merge(old, seen)
}

// settle returns the next line; ok is false if the program is silent for a while.
func (p *play) settle(ctx context.Context) (line string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, idle)
	defer cancel()
	line, ok, err := p.next(ctx)
	return line, ok && err == nil
}

// fits reports whether the lines seen match the group, and returns the names that this binds.
func (p *play) fits(group []step, seen []string) (binds, bool) {
	names := maps.Clone(p.binds)
	for _, st := range group {
		m := matcher{binds: names, pieces: st.verb == wantPieces}
		for m.open = st.verb != remark; m.open; {
			if len(seen) == 0 || m.line(st.text, seen[0]) != nil {
				return nil, false
			}
			seen = seen[1:]
		}
	}
	return names, len(seen) == 0
}

// merge writes the lines seen, each with the wildcards of the old line that it replaces: the next
// one of the same kind. Remarks keep their position among the old lines.
func (p *play) merge(old []step, seen []string) []string {
	var out []string
	at := 0
	for _, line := range seen {
		match := at
		for match < len(old) && !(old[match].verb != remark && sameKind(old[match].text, line)) {
			match++
		}
		if match == len(old) {
			out = append(out, "< "+p.folders.hide(line))
			continue
		}
		for ; at < match; at++ {
			if old[at].verb == remark {
				out = append(out, old[at].raw)
			}
		}
		out = append(out, "< "+p.keepWildcards(old[match].text, line))
		at = match + 1
	}
	for ; at < len(old); at++ {
		if old[at].verb == remark {
			out = append(out, old[at].raw)
		}
	}
	return out
}

// hide returns line with the folders of this run replaced by their names, and with a dollar sign before
// each text in it that would be read as a name.
func (p folders) hide(line string) string {
	line = nameSyntax().ReplaceAllStringFunc(line, func(name string) string {
		if name == "$$" {
			return "$$$$"
		}
		return "$" + name
	})
	return strings.NewReplacer(p.work, "$WORK", p.home, "$HOME").Replace(line)
}
