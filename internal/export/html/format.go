package html

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/model"
)

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return thousands(n) + " " + what + "s"
}

// thousands returns a number with thin spaces between groups of three digits.
func thousands(n int) string {
	if n < 0 {
		return strconv.Itoa(n)
	}
	digits := strconv.Itoa(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && (len(digits)-i)%3 == 0 {
			b.WriteString("\u202f")
		}
		b.WriteRune(d)
	}
	return b.String()
}

func took(d time.Duration) string {
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < time.Minute:
		return fmt.Sprintf("%d s", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

func dollars(cost float64) string {
	if cost < 1 {
		return fmt.Sprintf("$%.4f", cost)
	}
	return fmt.Sprintf("$%.2f", cost)
}

// spent returns the tokens and the cost of model calls.
func spent(u model.Usage, cost float64) []string {
	var parts []string
	if u.Context()+u.Output > 0 {
		about := ""
		if u.Estimated {
			about = "about "
		}
		tokens := about + thousands(u.Context()) + " tokens in"
		if cached := u.CacheRead; cached > 0 {
			tokens += " (" + thousands(cached) + " from cache)"
		}
		parts = append(parts, tokens, about+thousands(u.Output)+" out")
	}
	if cost > 0 {
		parts = append(parts, dollars(cost))
	}
	return parts
}

func size(n int) string {
	switch {
	case n < 1<<10:
		return count(n, "byte")
	case n < 1<<20:
		return fmt.Sprintf("%d KiB", n>>10)
	}
	return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
}
