package sse

import (
	"math"
	"net/http"
	"strconv"
	"time"
)

// maxWait bounds what a server may wish for.
const maxWait = 24 * time.Hour

// retryAfter is how long the server wants us to wait: retry-after-ms, or Retry-After in
// seconds or as a date (RFC 9110, 10.2.3), counted from the server's own Date where it
// tells one. 0: it says nothing, or nothing we understand.
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
	now, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		now = time.Now()
	}
	return min(max(at.Sub(now), 0), maxWait)
}

// inSeconds is s seconds, at least 0 and at most maxWait.
func inSeconds(s float64) time.Duration {
	if math.IsNaN(s) {
		return 0
	}
	return time.Duration(min(max(s, 0), maxWait.Seconds()) * float64(time.Second))
}
