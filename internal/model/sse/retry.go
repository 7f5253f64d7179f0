package sse

import (
	"cmp"
	"math"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"parley.dev/parley/internal/lazy"
)

// This file reads how long a server wants its clients to wait.

// of adds what the status and the headers of the server's response say.
func (f *Fault) of(r *http.Response) {
	f.status = r.StatusCode
	f.wait = cmp.Or(retryAfter(r.Header), f.wait, retryAfter(f.header))
	f.reset = cmp.Or(resetAfter(f.header, r.Header), resetAfter(r.Header, r.Header))
	f.final = r.Header.Get("X-Should-Retry") == "false"
}

// maxWait bounds what a server may wish for.
const maxWait = 24 * time.Hour

// retryAfter returns how long to wait as requested by the server: retry-after-ms, or Retry-After in
// seconds or as a date (RFC 9110, 10.2.3), counted from the server's own Date where it
// has one. 0: there is no such header, or it is not valid.
func retryAfter(h http.Header) time.Duration {
	if ms, err := strconv.ParseFloat(h.Get("Retry-After-Ms"), 64); err == nil {
		return inSeconds(ms / 1000)
	}
	wish := h.Get("Retry-After")
	if seconds, err := strconv.ParseFloat(wish, 64); err == nil {
		return inSeconds(seconds)
	}
	at, err := http.ParseTime(wish)
	if err != nil {
		return 0
	}
	return until(at, h)
}

// until returns the time from the server's Date to at.
func until(at time.Time, h http.Header) time.Duration {
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxWait)
}

// resetAfter returns when a rate limit ends, by the headers that have no standard: of the limits that
// are used up the last one, where the server has several (OpenAI, Groq: durations such as 1m30s), else
// X-RateLimit-Reset (OpenRouter: milliseconds since 1970). 0: they do not say it. dated has the
// server's Date.
func resetAfter(h, dated http.Header) (wait time.Duration) {
	for _, limit := range []string{"Requests", "Tokens"} {
		reset, err := time.ParseDuration(h.Get("X-Ratelimit-Reset-" + limit))
		if used := h.Get("X-Ratelimit-Remaining-" + limit); err == nil && (used == "0" || used == "" || wait == 0 && limit == "Tokens") {
			wait = max(wait, reset)
		}
	}
	if wait > 0 {
		return min(wait, maxWait)
	}
	n, err := strconv.ParseFloat(h.Get("X-Ratelimit-Reset"), 64)
	switch {
	case err != nil || math.IsNaN(n) || n < 0 || n > 1e15:
		return 0
	case n > 1e12:
		return until(time.UnixMilli(int64(n)), dated)
	case n > 1e9:
		return until(time.Unix(int64(n), 0), dated)
	}
	return inSeconds(n)
}

// waits matches what messages say of the wait: "Please retry in 39.5s", "Please try again in 1m12s",
// "retry after 26 seconds". Messages are in lower case.
var waits = lazy.Value[struct{ whole, part *regexp.Regexp }]{New: func() (patterns struct{ whole, part *regexp.Regexp }) {
	const part = `(\d+(?:\.\d+)?) ?(milliseconds?|ms|minutes?|mins?|m|hours?|h|seconds?|secs?|s|days?|d)`
	patterns.whole = regexp.MustCompile(`\b(?:try again|retry|wait)(?: in| after| for)? ((?:` + part + `[ ,]*)+)`)
	patterns.part = regexp.MustCompile(part)
	return patterns
}}

// waitOf returns the wait that a message names; 0: it names none.
func waitOf(message string) time.Duration {
	found := waits.Get().whole.FindStringSubmatch(strings.ToLower(message))
	if found == nil {
		return 0
	}
	seconds := 0.0
	for _, part := range waits.Get().part.FindAllStringSubmatch(found[1], -1) {
		n, err := strconv.ParseFloat(part[1], 64)
		if err != nil {
			return 0
		}
		seconds += n * unitSeconds(part[2])
	}
	return inSeconds(seconds)
}

func unitSeconds(unit string) float64 {
	switch {
	case strings.HasPrefix(unit, "ms"), strings.HasPrefix(unit, "milli"):
		return 0.001
	case unit[0] == 'm':
		return 60
	case unit[0] == 'h':
		return 3600
	case unit[0] == 'd':
		return 86400
	}
	return 1
}

// inSeconds returns s seconds, at least 0 and at most maxWait.
func inSeconds(s float64) time.Duration {
	if math.IsNaN(s) {
		return 0
	}
	return time.Duration(min(max(s, 0), maxWait.Seconds()) * float64(time.Second))
}
