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
	if summary := strings.TrimSpace(strings.TrimPrefix(oneLine(call.Summary), oneLine(call.Name))); summary != "" {
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
	return d.block(mark, []line{clip(l, inner(width))})
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
	return d.block(mark, append(lines, d.output(call, inner(width), unfolded)...))
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
	for i := range l {
		l[i].link = d.link(addressIn(l[i].text))
	}
	lines := wrap(l, inner(width))
	results, ok := searchResults(call.Output)
	switch {
	case !ok && (unfolded || call.Outcome == record.CallFailed):
		lines = append(lines, d.output(call, inner(width), unfolded)...)
	case ok:
		var list []line
		for _, r := range results {
			title := line{{text: oneLine(r.title), style: d.palette[linkRole], link: d.link(r.url)}}
			if host := hostOf(r.url); d.options.Links && host != "" {
				title = append(title, d.text(Faint, "  "+host))
			} else {
				title = append(title, d.text(Faint, "  "+oneLine(r.url)))
			}
			list = append(list, wrap(title, inner(width))...)
			if unfolded && r.snippet != "" {
				list = append(list, indent(d.wrapped(oneLine(r.snippet), d.palette[Faint], max(1, width-2*gutter)), line{{text: "  "}}, line{{text: "  "}})...)
			}
		}
		lines = append(lines, d.fold(list, 5, 0, inner(width), unfolded)...)
	}
	return d.block(mark, lines)
}

// A result is a page that a search has found.
type result struct{ title, url, snippet string }

// searchResults reads the text of a search: lines with a number and a title, each followed by an address and perhaps
// some text.
func searchResults(text string) ([]result, bool) {
	var results []result
	for l := range strings.Lines(text) {
		l = strings.TrimRight(l, "\r\n")
		number, title, ok := strings.Cut(l, ". ")
		switch {
		case ok && number != "" && strings.Trim(number, "0123456789") == "":
			results = append(results, result{title: title})
		case len(results) == 0:
			return nil, false
		case results[len(results)-1].url == "":
			results[len(results)-1].url = strings.TrimSpace(l)
		default:
			r := &results[len(results)-1]
			r.snippet = strings.TrimSpace(r.snippet + " " + l)
		}
	}
	for _, r := range results {
		if safeLink(r.url) == "" {
			return nil, false
		}
	}
	return results, len(results) > 0
}

func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	return oneLine(u.Host)
}
