package draw

import (
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/highlight"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// approvalRows is how many lines an approval takes in a conversation unless it is unfolded.
const approvalRows = 20

// approval returns an approval: what will run, why, and the choices, or the answer. What is too long has its first and
// last lines.
func (d *Drawer) approval(item conversation.Item, width int, unfolded bool) []line {
	r := item.Approval
	if r == nil {
		return nil
	}
	if r.Answer != nil {
		return d.answered(r, width, unfolded)
	}
	head, body := d.requestTitle(r, width), d.request(r, d.folder(r, width), width)
	tail := append(d.block(span{}, d.why(r, inner(width))), nil)
	tail = append(tail, d.choices(width)...)
	if room := max(2, approvalRows-len(head)-len(tail)-1); !unfolded && len(body) > room+1 {
		last := room / 3
		body = d.foldExact(body, room-last, last, width)
	}
	return append(append(head, body...), tail...)
}

// requestTitle returns the line that asks.
func (d *Drawer) requestTitle(r *conversation.Request, width int) []line {
	title := line{d.text(Strong, "Allow "), d.text(Strong, oneLine(r.Request.Tool)), d.text(Strong, "?")}
	return d.block(d.warning("?"), wrap(title, inner(width)))
}

func (d *Drawer) warning(mark string) span {
	look := d.palette[Warn]
	look.bold = true
	return span{text: mark, style: look}
}

// foldExact is fold for lines with a bar.
func (d *Drawer) foldExact(lines []line, head, tail, width int) []line {
	out := append(make([]line, 0, head+tail+1), lines[:head]...)
	more := append(line{{text: "  "}}, d.more(len(lines)-head-tail, inner(width))...)
	return append(append(out, more), lines[len(lines)-tail:]...)
}

// bars puts a bar before each line of foreign text, so that nothing in it can look like a part of this program. What
// does not fit into a line goes on after another bar.
func (d *Drawer) bars(lines []line, width int) []line {
	bar, rest := line{{text: "  "}, d.text(Warn, "│ ")}, line{{text: "  "}, d.text(Warn, "╎ ")}
	var out []line
	for _, l := range lines {
		for i, part := range chop(l, max(1, width-2*gutter)) {
			before := bar
			if i > 0 {
				before = rest
			}
			out = append(out, append(append(line{}, before...), part...))
		}
	}
	return out
}

// label returns a line of this program within a request.
func (d *Drawer) label(width int, spans ...span) []line {
	return d.block(span{}, wrap(spans, inner(width)))
}

// folder returns the line with the folder in which a command will run; nil: it is that of the session, or there is no command.
func (d *Drawer) folder(r *conversation.Request, width int) []line {
	if r.Request.Command == "" || r.Request.Dir == "" {
		return nil
	}
	return d.label(width, append([]span{d.text(Faint, "in ")}, d.exactLine(r.Request.Dir)...)...)
}

// request returns exactly what will run, and the changes of files that it would make. The lines of folder follow the command.
func (d *Drawer) request(r *conversation.Request, folder []line, width int) []line {
	var lines []line
	whole := true
	switch q := r.Request; {
	case q.Command != "":
		command := d.exact(q.Command)
		for i := range command {
			command[i] = restyle(command[i], d.palette[Strong])
			sign := "  "
			if i == 0 {
				sign = "$ "
			}
			command[i] = append(line{d.text(Accent, sign)}, command[i]...)
		}
		lines = append(lines, d.bars(command, width)...)
		lines = append(lines, folder...)
		var in struct {
			Command string `json:"command"`
		}
		var others []line
		if err := json.Unmarshal(r.Input, &in); err == nil && in.Command == q.Command {
			others = d.fields(r.Input, "command")
		} else if len(r.Input) > 0 {
			others = d.fields(r.Input)
		}
		if len(others) > 0 {
			lines = append(append(lines, d.label(width, d.text(Faint, "with"))...), d.bars(others, width)...)
		}
	case len(r.Files) > 0:
		for _, f := range r.Files {
			whole = whole && (f.Diff != "" || f.Op == "deleted")
		}
	default:
		whole = false
	}
	if r.Request.URL != "" {
		lines = append(lines, d.bars([]line{append(line{d.text(Faint, "address ")}, d.exactLine(r.Request.URL)...)}, width)...)
	}
	if r.Request.Server != "" {
		lines = append(lines, d.bars([]line{append(line{d.text(Faint, "server ")}, d.exactLine(r.Request.Server)...)}, width)...)
	}
	if !whole {
		lines = append(lines, d.bars(d.fields(r.Input), width)...)
	}
	for _, f := range r.Files {
		lines = append(lines, d.effect(f, width)...)
	}
	return lines
}

// effect returns what a call would do to a file.
func (d *Drawer) effect(f record.FileEffect, width int) []line {
	head := append(append(line{}, restyle(d.exactLine(f.Path), d.palette[Strong])...), d.counts(f.Added, f.Removed)...)
	if f.Op != "updated" && f.Op != "" {
		head = append(head, d.text(Faint, " "+oneLine(f.Op)))
	}
	lines := d.label(width, head...)
	if f.Diff != "" {
		lines = append(lines, d.bars(d.diff(d.exactDiff(f.Diff), highlight.LanguageOf(f.Path), max(1, width-2*gutter)), width)...)
	}
	return lines
}

// why returns the reason of a request, and what it would touch outside of the workspace.
func (d *Drawer) why(r *conversation.Request, width int) []line {
	reason := r.Reason
	if strings.TrimSpace(reason) == "" {
		reason = "each call of " + oneLine(r.Request.Tool) + " needs an approval"
		if r.Mode != "" {
			reason += " in mode " + oneLine(r.Mode)
		}
	}
	lines := wrap(append(line{d.text(Warn, "Why: ")}, d.exactLine(reason)...), width)
	if len(lines) > 4 {
		lines = append(lines[:3:3], clip(append(append(line{}, lines[3]...), span{text: strings.Repeat(" ", width)}), width))
	}
	outside := 0
	for _, p := range r.Request.Paths {
		if p.Outside {
			if outside++; outside <= 3 {
				verb := "Outside: reads "
				if p.Write {
					verb = "Outside: writes "
				}
				lines = append(lines, clip(append(line{d.text(Warn, verb)}, d.exactLine(p.Path)...), width))
			}
		}
	}
	if outside > 3 {
		lines = append(lines, line{d.text(Warn, "and "+strconv.Itoa(outside-3)+" more files outside of the workspace")})
	}
	return lines
}

// choices returns the possible answers, in a line if they fit, else one on each.
func (d *Drawer) choices(width int) []line {
	var all line
	var each []line
	for i, c := range []struct{ key, text string }{{"y", "Allow once"}, {"s", "Allow for session"}, {"w", "Allow in workspace"}, {"n", "Deny"}} {
		l := line{d.text(Accent, c.key), {text: " " + c.text}}
		if each = append(each, l); i > 0 {
			all = append(all, span{text: "   "})
		}
		all = append(all, l...)
	}
	if all.width() <= inner(width) {
		return d.block(span{}, []line{all})
	}
	return d.block(span{}, each)
}

// answered returns an approval after its answer.
func (d *Drawer) answered(r *conversation.Request, width int, unfolded bool) []line {
	a := r.Answer
	mark, l := d.text(Good, "✓"), line{d.text(Good, "Allowed")}
	if !a.Allowed {
		mark, l = d.text(Bad, "×"), line{d.text(Bad, "Denied")}
	}
	l = append(l, span{text: d.by(a.ID, a.By, a.Client), style: l[0].style})
	if reason := oneLine(a.Reason); !a.Allowed && reason != "" {
		l = append(l, span{text: ": " + reason})
	}
	if unfolded {
		return append(d.block(mark, wrap(l, inner(width))), d.request(r, d.folder(r, width), width)...)
	}
	const least = 10 // cells for what was asked
	if what := oneLine(r.Request.Summary); what != "" && l.width()+2+least <= inner(width) {
		l = clip(append(l, d.text(Faint, "  "+what)), inner(width))
	}
	return d.block(mark, d.fold(wrap(l, inner(width)), 4, 0, inner(width), false))
}
