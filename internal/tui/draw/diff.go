package draw

import (
	"fmt"
	"strconv"
	"strings"

	"parley.dev/parley/internal/highlight"
	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

const (
	diffHead = 14 // lines of a diff at its beginning that are shown
	diffTail = 2  // at its end
)

// change returns the changes of files by a call or a restore.
func (d *Drawer) change(item conversation.Item, width int, unfolded bool) []line {
	var lines []line
	call := item.Call
	if call == nil {
		lines = append(lines, d.block(d.text(Accent, "•"), wrap(line{d.text(Strong, "Files restored")}, inner(width)))...)
	} else if len(item.Changes) == 0 || call.Outcome != record.CallSucceeded && call.Outcome != "" {
		mark, l := d.header(call, item.Open)
		lines = append(lines, d.block(mark, append(wrap(l, inner(width)), d.output(call, inner(width), unfolded)...))...)
	}
	for _, c := range item.Changes {
		head := append(line{d.text(Strong, oneLine(c.Path))}, d.counts(c.Added, c.Removed)...)
		if c.Op != "updated" && c.Op != "" {
			head = append(head, d.text(Faint, " "+oneLine(c.Op)))
		}
		body := wrap(head, inner(width))
		switch {
		case c.Diff != "":
			diff := d.diff(plainDiff(c.Diff), highlight.LanguageOf(c.Path), inner(width))
			body = append(body, d.fold(diff, diffHead, diffTail, inner(width), unfolded)...)
		case c.Op != "deleted":
			body = append(body, line{d.text(Faint, "no diff: it is binary or very large")})
		}
		if len(lines) > 0 {
			lines = append(lines, nil)
		}
		lines = append(lines, d.block(d.text(Good, "•"), body)...)
	}
	return lines
}

// counts returns the numbers of added and removed lines, after a blank.
func (d *Drawer) counts(added, removed int) line {
	return line{d.text(Good, " +"+strconv.Itoa(added)), d.text(Bad, " -"+strconv.Itoa(removed))}
}

// A diffLine is a line of a unified diff.
type diffLine struct {
	sign     byte // ' ', '+' or '-'; '@' is the beginning of a hunk, and 0 is something else
	old, new int  // numbers of the line
	text     line // what follows the sign, in no style; signs of invisible characters have one
}

// plainDiff divides a diff that is shown.
func plainDiff(text string) []diffLine {
	var lines []line
	for _, l := range clean(text) {
		lines = append(lines, line{{text: l}})
	}
	return parseDiff(lines)
}

// exactDiff divides a diff that is approved.
func (d *Drawer) exactDiff(text string) []diffLine {
	return parseDiff(exact(text, style{}, d.palette[invisibleRole]))
}

// parseDiff reads the lines of a unified diff. What it does not understand stays as it is.
func parseDiff(lines []line) []diffLine {
	var out []diffLine
	var oldNext, newNext, oldLeft, newLeft int
	for _, l := range lines {
		whole := l.plain()
		dl := diffLine{text: l}
		if oldLeft > 0 || newLeft > 0 {
			if whole == "" {
				dl.sign = ' ' // of an empty line, which some programs leave out
			} else if c := whole[0]; c == ' ' || c == '+' || c == '-' {
				dl.sign, dl.text = c, cutFirst(l)
			}
			if dl.sign == ' ' || dl.sign == '-' {
				dl.old = oldNext
				oldNext++
				oldLeft--
			}
			if dl.sign == ' ' || dl.sign == '+' {
				dl.new = newNext
				newNext++
				newLeft--
			}
			if dl.sign != 0 || strings.HasPrefix(whole, `\`) {
				out = append(out, dl)
				continue
			}
		}
		switch {
		case strings.HasPrefix(whole, "@@"):
			if o, oc, n, nc, ok := hunk(whole); ok {
				dl.sign = '@'
				oldNext, oldLeft, newNext, newLeft = o, oc, n, nc
			}
		case strings.HasPrefix(whole, "--- "), strings.HasPrefix(whole, "+++ "), strings.HasPrefix(whole, "diff "), strings.HasPrefix(whole, "index "):
			continue // the path is above
		}
		out = append(out, dl)
	}
	return out
}

// cutFirst returns a line without its first byte.
func cutFirst(l line) line {
	for i := range l {
		if l[i].text != "" {
			rest := append(line{}, l[i:]...)
			rest[0].text = rest[0].text[1:]
			return rest
		}
	}
	return nil
}

// hunk reads the first line of a hunk, such as @@ -1,2 +1,3 @@.
func hunk(text string) (oldFirst, oldCount, newFirst, newCount int, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 4 || fields[0] != "@@" || fields[1][0] != '-' || fields[2][0] != '+' {
		return 0, 0, 0, 0, false
	}
	var okOld, okNew bool
	oldFirst, oldCount, okOld = lineRange(fields[1][1:])
	newFirst, newCount, okNew = lineRange(fields[2][1:])
	return oldFirst, oldCount, newFirst, newCount, okOld && okNew
}

func lineRange(text string) (first, count int, ok bool) {
	a, b, found := strings.Cut(text, ",")
	first, err := strconv.Atoi(a)
	if err != nil || first < 0 {
		return 0, 0, false
	}
	if count = 1; found {
		if count, err = strconv.Atoi(b); err != nil || count < 0 {
			return 0, 0, false
		}
	}
	return first, count, true
}

// diff draws the lines of a diff, with their numbers and the colours of a language.
func (d *Drawer) diff(lines []diffLine, language string, width int) []line {
	most := 0
	for _, l := range lines {
		most = max(most, l.old, l.new)
	}
	digits := max(3, len(strconv.Itoa(most)))
	numbered := width >= digits+12
	d.highlightDiff(lines, language)
	var out []line
	hunks := 0
	for _, l := range lines {
		var first, rest line
		base := style{}
		number := l.new
		switch l.sign {
		case '@':
			if hunks++; hunks > 1 && numbered {
				out = append(out, line{d.text(Faint, strings.Repeat(" ", digits-1)+"⋮")})
			} else if hunks > 1 {
				out = append(out, line{d.text(Faint, "⋮")})
			}
			continue
		case 0:
			for _, part := range chop(l.text, width) {
				out = append(out, restyle(part, d.palette[Faint]))
			}
			continue
		case '+':
			base.bg = d.palette[addedRole].bg
		case '-':
			base.bg = d.palette[removedRole].bg
			number = l.old
		}
		look, sign := d.palette[Faint], string(l.sign)
		switch l.sign {
		case '+':
			look = d.palette[addedRole]
		case '-':
			look = d.palette[removedRole]
		}
		if numbered {
			first = line{{text: fmt.Sprintf("%*d ", digits, number), style: look}}
			rest = line{{text: strings.Repeat(" ", digits+1), style: look}}
		}
		first = append(first, span{text: sign + " ", style: look})
		rest = append(rest, span{text: "  ", style: look})
		for i, part := range chop(l.text, max(1, width-first.width())) {
			before := rest
			if i == 0 {
				before = first
			}
			whole := append(append(line{}, before...), restyle(part, base)...)
			if l.sign == ' ' {
				whole = trimmed(whole)
			}
			out = append(out, whole)
		}
	}
	return out
}

// restyle returns a line with a style below those of its spans.
func restyle(l line, base style) line {
	out := append(line{}, l...)
	for i := range out {
		out[i].style = out[i].style.over(base)
	}
	return out
}

// highlightDiff colours the lines of each hunk: the old text and the new one, each as a whole.
func (d *Drawer) highlightDiff(lines []diffLine, language string) {
	if language == "" || language == highlight.Diff {
		return
	}
	for i := 0; i < len(lines); {
		first := i
		for i++; i < len(lines) && lines[i].sign != '@'; i++ {
		}
		d.highlightSide(lines[first:i], language, '-')
		d.highlightSide(lines[first:i], language, '+')
	}
}

// highlightSide colours the lines with a sign, and those without one, which are the same on both sides.
func (d *Drawer) highlightSide(lines []diffLine, language string, sign byte) {
	var side []int
	var text strings.Builder
	for i, l := range lines {
		if l.sign == sign || l.sign == ' ' {
			side = append(side, i)
			text.WriteString(l.text.plain())
			text.WriteByte('\n')
		}
	}
	coloured, ok := d.highlight(text.String(), language)
	if !ok || len(coloured) < len(side) {
		return
	}
	for n, i := range side {
		if len(lines[i].text) <= 1 && coloured[n].plain() == lines[i].text.plain() {
			lines[i].text = coloured[n]
		}
	}
}

// highlight divides source code into lines with colours; ok is false if it has none.
func (d *Drawer) highlight(text, language string) (lines []line, ok bool) {
	if language == "" || language == highlight.Diff || !highlight.Fits(text) {
		return nil, false
	}
	pieces, ok := highlight.Split(text, language)
	if !ok {
		return nil, false
	}
	var l line
	for _, p := range pieces {
		look := d.palette[codeRoles[p.Class]]
		rest := p.Text
		for {
			part, after, more := strings.Cut(rest, "\n")
			if part != "" {
				l = append(l, span{text: part, style: look})
			}
			if !more {
				break
			}
			lines = append(lines, l)
			l, rest = nil, after
		}
	}
	if len(l) > 0 {
		lines = append(lines, l)
	}
	return lines, true
}

// codeRoles are the roles of the classes of source code.
var codeRoles = map[highlight.Class]Role{
	highlight.Plain:   Text,
	highlight.Comment: commentRole,
	highlight.Keyword: keywordRole,
	highlight.String:  literalRole,
	highlight.Number:  numberRole,
	highlight.Called:  calledRole,
	highlight.Named:   namedRole,
}
