package draw

import (
	"fmt"
	"net/url"
	"strings"

	"parley.dev/parley/internal/tui/conversation"
	"parley.dev/parley/record"
)

// toolRows is how many lines of the output of a tool are shown.
const toolRows = 4

// header returns the line that names a call, and the mark before it.
func (d *Drawer) header(call *conversation.Call, open bool) (mark span, l line) {
	name := call.Name
	if call.Server != "" && call.Tool != "" {
		name = call.Server + " " + call.Tool
	}
	l = line{d.text(Strong, oneLine(name))}
	if summary := objectOf(call); summary != "" {
		l = append(l, span{text: " " + summary})
	}
	switch {
	case call.Outcome == "" && open:
		return d.text(Accent, "•"), append(l, d.progress(call.Progress)...)
	case call.Outcome == record.CallSucceeded, call.Outcome == "":
		return d.text(Good, "•"), l
	}
	return d.text(Bad, "×"), append(l, d.text(Bad, " "+outcomeText(call.Outcome)))
}

// progress returns how far a call is.
func (d *Drawer) progress(p record.ToolProgress) line {
	var l line
	if p.Total > 0 && p.Done >= 0 {
		l = append(l, d.text(Accent, fmt.Sprintf(" %.0f %%", min(100, 100*p.Done/p.Total))))
	}
	if text := oneLine(p.Text); text != "" {
		l = append(l, d.text(Faint, " "+text))
	}
	return l
}

// outcomeText returns an outcome for the user.
func outcomeText(outcome string) string {
	if outcome == record.CallUnknown {
		return "the end is not known"
	}
	return oneLine(outcome)
}

func (d *Drawer) lookup(item conversation.Item, width int) []line {
	call := item.Call
	if call == nil {
		return nil
	}
	mark, l := d.header(call, item.Open)
	if call.Outcome == record.CallFailed {
		if reason, _, _ := strings.Cut(call.Output, "\n"); strings.TrimSpace(reason) != "" {
			l = append(l, d.text(Faint, ": "+oneLine(reason)))
		}
	}
	return d.block(mark, append([]line{clip(l, inner(width))}, d.images(call.Images, objectOf(call), inner(width))...))
}

func (d *Drawer) tool(item conversation.Item, width int, unfolded bool) []line {
	call := item.Call
	if call == nil {
		return nil
	}
	mark, l := d.header(call, item.Open)
	lines := wrap(l, inner(width))
	if unfolded && len(call.Input) > 0 && string(call.Input) != "{}" {
		for _, f := range d.fields(call.Input) {
			lines = append(lines, chop(f, inner(width))...)
		}
	}
	return d.block(mark, append(append(lines, d.output(call, inner(width), unfolded)...), d.images(call.Images, objectOf(call), inner(width))...))
}

// output returns the output of a call.
func (d *Drawer) output(call *conversation.Call, width int, unfolded bool) []line {
	if strings.TrimSpace(call.Output) == "" {
		return nil
	}
	look := d.palette[Faint]
	var lines []line
	for _, l := range clean(call.Output) {
		lines = append(lines, d.addresses(l, look, width)...)
	}
	if call.Cut && unfolded {
		lines = append([]line{{d.text(Faint, "… the beginning is not here")}}, lines...)
	}
	return d.fold(lines, toolRows, 1, width, unfolded)
}

// web returns a call that searches or reads the web, with its results as links.
func (d *Drawer) web(item conversation.Item, width int, unfolded bool) []line {
	call := item.Call
	if call == nil {
		return nil
	}
	mark, l := d.header(call, item.Open)
	if call.Fetch != nil && call.Fetch.URL != "" {
		l = append(l, d.text(Faint, fmt.Sprintf(" %d, %s, ", call.Fetch.Status, oneLine(call.Fetch.MIME))), d.text(Faint, bytesText(int(call.Fetch.Bytes))))
	}
	for i := range l {
		l[i].link = d.link(addressIn(l[i].text))
	}
	lines := wrap(l, inner(width))
	switch {
	case call.Search == nil && (unfolded || call.Outcome == record.CallFailed):
		lines = append(lines, d.output(call, inner(width), unfolded)...)
	case call.Search != nil:
		var list []line
		for _, r := range call.Search.Results {
			list = append(list, d.hit(r, inner(width), unfolded)...)
		}
		if len(list) == 0 {
			list = []line{{d.text(Faint, "nothing was found")}}
		}
		lines = append(lines, d.fold(list, webRows, 0, inner(width), unfolded)...)
	}
	return d.block(mark, lines)
}

// webRows is how many lines of results are shown.
const webRows = 6

// hit returns a page that a search has found.
func (d *Drawer) hit(hit record.SearchHit, width int, unfolded bool) []line {
	title := oneLine(hit.Title)
	if title == "" {
		title = oneLine(hit.URL)
	}
	l := line{{text: title, style: d.palette[linkRole], link: d.link(hit.URL)}}
	if host := hostOf(hit.URL); l[0].link != "" && host != "" {
		l = append(l, d.text(Faint, "  "+host))
	} else {
		l = append(l, d.text(Faint, "  "+oneLine(hit.URL)))
	}
	lines := wrap(l, width)
	if unfolded && hit.Snippet != "" {
		lines = append(lines, indent(d.wrapped(oneLine(hit.Snippet), d.palette[Faint], max(1, width-gutter)), line{{text: "  "}}, line{{text: "  "}})...)
	}
	return lines
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return oneLine(u.Host)
}

// objectOf returns what a call is about, such as the path that it reads.
func objectOf(call *conversation.Call) string {
	return strings.TrimSpace(strings.TrimPrefix(oneLine(call.Summary), oneLine(call.Name)))
}
