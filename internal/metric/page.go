package metric

import (
	"bytes"
	"io"
	"strconv"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// A Page is metrics in the text format of Prometheus. Those of one name are added one after the other. Labels are names
// and values in turn.
type Page struct {
	text bytes.Buffer
	last string // the name that was added last
}

// Counter adds a number that only grows.
func (p *Page) Counter(name string, value int64, labels ...string) {
	p.kind(name, "counter")
	p.line(name, strconv.FormatInt(value, 10), labels)
}

// Gauge adds a number that can fall.
func (p *Page) Gauge(name string, value float64, labels ...string) {
	p.kind(name, "gauge")
	p.line(name, number(value), labels)
}

// Histogram adds a histogram in seconds.
func (p *Page) Histogram(name string, h *Histogram, labels ...string) {
	p.kind(name, "histogram")
	var count int64
	for i := range h.counts {
		count += h.counts[i].Load()
		bound := "+Inf"
		if i < len(bounds) {
			bound = number(bounds[i].Seconds())
		}
		p.line(name+"_bucket", strconv.FormatInt(count, 10), append(labels[:len(labels):len(labels)], "le", bound))
	}
	p.line(name+"_sum", number(float64(h.sum.Load())/1e9), labels)
	p.line(name+"_count", strconv.FormatInt(count, 10), labels)
}

// WriteTo implements io.WriterTo.
func (p *Page) WriteTo(w io.Writer) (int64, error) { return p.text.WriteTo(w) }

// kind adds the comment with the kind of a metric, before the first line of it.
func (p *Page) kind(name, kind string) {
	if name != p.last {
		p.text.WriteString("# TYPE " + name + " " + kind + "\n")
	}
	p.last = name
}

var escape = lazy.Value[*strings.Replacer]{New: func() *strings.Replacer { return strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`) }}

func (p *Page) line(name, value string, labels []string) {
	p.text.WriteString(name)
	for i := 0; i+1 < len(labels); i += 2 {
		separator := byte(',')
		if i == 0 {
			separator = '{'
		}
		p.text.WriteByte(separator)
		p.text.WriteString(labels[i] + `="` + escape.Get().Replace(labels[i+1]) + `"`)
	}
	if len(labels) > 1 {
		p.text.WriteByte('}')
	}
	p.text.WriteString(" " + value + "\n")
}

func number(value float64) string { return strconv.FormatFloat(value, 'f', -1, 64) }
