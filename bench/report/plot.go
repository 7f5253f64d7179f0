package report

import (
	_ "embed"
	"fmt"
	"html"
	"math"
	"strings"
	"text/template"
	"time"
)

//go:embed plot.svg.tmpl
var plotText string

var plot = template.Must(template.New("plot").Parse(plotText))

// How the picture is laid out, in pixels.
const (
	plotLeft   = 24  // of the text above
	plotName   = 350 // where names of figures end
	plotBegin  = 362 // where bars begin
	plotEnd    = 860
	plotLegend = 54 // where the legend begins
	plotKeys   = 18 // height of a line of it
	plotBar    = 10 // height of a bar
	plotGap    = 12 // between figures
	plotFewest = 3  // bars' heights that a figure has room for
)

// plotColors are those of the programs after the floor, one for each.
var plotColors = []string{
	"#0969da", "#1a7f37", "#bf8700", "#8250df", "#cf5c00", "#0a7ea4", "#d4418e", "#7a5c3e", // protocols
	"#24292f", "#8c959f", // a host, a store
	"#f2a6a0", "#9fd3a5", "#c4a7f0", // other agents
}

// The picture as the template has it.
type (
	picture struct {
		Width, Height, Left, Top, Bottom, TickY, NameX int
		Full                                           string // where a budget is all used
		Subtitle                                       string
		Legend                                         []key
		Ticks                                          []tick
		Groups                                         []group
	}
	key struct {
		X, Y, TextX, TextY int
		Name, Color        string
	}
	tick  struct{ X, Label string }
	group struct {
		TextY, LimitY int
		Name, Limit   string
		Bars          []bar
	}
	bar struct {
		X, Y, Height, TextY int
		Width, EndX         string
		Color, Title, Over  string
	}
)

// axis maps parts of budgets to places, by their logarithms.
type axis struct{ low, high float64 }

func axisOf(cells []Cell) axis {
	low, high := 0.1, 2.0
	for _, c := range cells {
		if c.Limited && c.Used > 0 {
			low, high = min(low, c.Used), max(high, c.Used)
		}
	}
	return axis{math.Floor(math.Log10(low)), math.Log10(high * 1.25)}
}

func (a axis) at(used float64) float64 {
	place := (math.Log10(used) - a.low) / (a.high - a.low)
	return plotBegin + max(place, 0)*(plotEnd-plotBegin)
}

// escape returns a text as XML has it.
func escape(format string, args ...any) string {
	return html.EscapeString(fmt.Sprintf(format, args...))
}

func pixels(v float64) string { return fmt.Sprintf("%.1f", v) }

// SVG returns a bar for each budget that can be judged: the line in the middle is all of it.
func (r *Run) SVG() (string, error) {
	cells := r.Cells()
	a := axisOf(cells)
	p := picture{
		Width: plotEnd + 40, Left: plotLeft, NameX: plotName, Full: pixels(a.at(1)),
		Subtitle: escape("log scale; left of the red line the budget is met · %s, %d cores, revision %s, %s",
			r.Head.Machine, r.Head.Cores, r.Head.Revision, r.Head.Date.UTC().Format(time.DateOnly)),
	}
	colors, x, y := map[string]string{}, plotLeft, plotLegend
	for _, program := range r.Programs {
		if program.Name == Floor {
			continue
		}
		width := 34 + 7*len(program.Name)
		if x+width > plotEnd {
			x, y = plotLeft, y+plotKeys
		}
		colors[program.Name] = plotColors[len(colors)%len(plotColors)]
		p.Legend = append(p.Legend, key{X: x, Y: y, TextX: x + 14, TextY: y + 9, Name: program.Name, Color: colors[program.Name]})
		x += width
	}
	p.Top = y + plotKeys + 6
	y = p.Top + 8
	for _, f := range Figures() {
		g := group{Name: escape("%s", f.Name), Limit: f.Budget.limit(f.Unit), TextY: y + 9, LimitY: y + 20}
		for _, c := range cells {
			if c.Figure.ID != f.ID || !c.Limited {
				continue
			}
			g.Bars = append(g.Bars, c.bar(a, y+len(g.Bars)*plotBar, colors[c.Program.Name]))
		}
		if len(g.Bars) > 0 {
			p.Groups = append(p.Groups, g)
			y += max(len(g.Bars), plotFewest)*plotBar + plotGap
		}
	}
	p.Bottom, p.TickY, p.Height = y, y+16, y+32
	for power := a.low; power <= a.high; power++ {
		used := math.Pow(10, power)
		p.Ticks = append(p.Ticks, tick{X: pixels(a.at(used)), Label: short(used)})
	}
	var b strings.Builder
	if err := plot.Execute(&b, p); err != nil {
		return "", fmt.Errorf("draw the figures: %w", err)
	}
	return b.String(), nil
}

func (c Cell) bar(a axis, y int, color string) bar {
	end := a.at(c.Used)
	b := bar{
		X: plotBegin, Y: y, Height: plotBar - 1, TextY: y + plotBar - 2, Width: pixels(max(end-plotBegin, 1)), EndX: pixels(end + 4), Color: color,
		Title: escape("%s, %s: %s, %s of the budget", c.Program.Name, c.Figure.Name, c.Figure.Unit.Format(c.Sample.Median()), digits(c.Used)),
	}
	if !c.Met() {
		b.Over = digits(c.Used)
	}
	return b
}
