package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Format returns a value for users, with three digits that count.
func (u Unit) Format(v float64) string {
	switch u {
	case Seconds:
		return scaled(v, []scale{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}})
	case Memory:
		return scaled(v, []scale{{1 << 20, "MiB"}, {1 << 10, "KiB"}, {1, "B"}})
	case Data:
		return scaled(v, []scale{{1e6, "MB"}, {1e3, "kB"}, {1, "B"}})
	case Cores:
		return digits(v) + " cores"
	}
	return thousands(v) + "/s"
}

type scale struct {
	size float64
	name string
}

// scaled returns v in the largest unit of which it has at least one, else in the last.
func scaled(v float64, scales []scale) string {
	s := scales[len(scales)-1]
	for _, larger := range scales {
		if math.Abs(v) >= larger.size {
			s = larger
			break
		}
	}
	return digits(v/s.size) + " " + s.name
}

// digits returns v with three digits that count, or all before the point.
func digits(v float64) string {
	for places, limit := range []float64{100, 10, 1} {
		if math.Abs(v) >= limit {
			return strconv.FormatFloat(v, 'f', places, 64)
		}
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}

func thousands(v float64) string {
	text := strconv.FormatFloat(v, 'f', 0, 64)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// limit returns a budget for users.
func (b Budget) limit(u Unit) string {
	base := Floor
	if b.Beside != "" {
		base = "embedded"
		switch {
		case strings.HasPrefix(b.Beside, "agent-"):
			base = "the agent"
		case strings.HasPrefix(b.Beside, "file-"):
			base = "files"
		case strings.Contains(b.Beside, "raw"):
			base = "raw"
		}
	}
	switch {
	case b.Most > 0:
		return "≤ " + u.Format(b.Most)
	case b.Times > 0:
		return "≤ " + short(b.Times) + " × " + base
	case b.Least > 0:
		return "≥ " + short(b.Least) + " × " + base
	}
	return "–"
}

func short(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// row returns a row of a table.
func row(cells ...string) string { return fmt.Sprintf("| %s |\n", strings.Join(cells, " | ")) }
