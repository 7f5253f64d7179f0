//go:build linux

package store

import (
	"bufio"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/stage"
)

// A history is the logs of all writers, in the order in which they arrive.
type history struct {
	mu      sync.Mutex // guards the rest
	entries []entry
	ends    map[string]entry // of commands
	changed chan struct{}
}

func newHistory() *history { return &history{ends: map[string]entry{}, changed: make(chan struct{})} }

func endOf(writer string, op int) string { return fmt.Sprint(writer, " ", op) }

// receive adds the lines of a log until it ends. A process that is killed may leave a part of a line.
func (h *history) receive(log io.Reader) {
	lines := bufio.NewReader(log)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return
		}
		var e entry
		if json.Unmarshal(line, &e) == nil {
			h.add(e)
		}
	}
}

func (h *history) add(e entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.entries = append(h.entries, e)
	if e.End && e.Do != opFrame && e.Do != opFollow && e.Do != opRenew {
		h.ends[endOf(e.Writer, e.Op)] = e
	}
	close(h.changed)
	h.changed = make(chan struct{})
}

// find returns the first entry that matches, and a channel that is closed when there is another one.
func (h *history) find(matches func(entry) bool) (found entry, ok bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.entries {
		if matches(e) {
			return e, true, nil
		}
	}
	return entry{}, false, h.changed
}

// await returns the first entry that matches.
func (h *history) await(t testing.TB, what string, matches func(entry) bool) entry {
	t.Helper()
	limit := time.After(stage.Patience)
	for {
		e, ok, changed := h.find(matches)
		if ok {
			return e
		}
		select {
		case <-changed:
		case <-limit:
			t.Fatalf("waited in vain for %s", what)
		}
	}
}

// end returns the end of a command, and a channel that is closed when there is another entry.
func (h *history) end(writer string, op int) (found entry, ok bool, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	found, ok = h.ends[endOf(writer, op)]
	return found, ok, h.changed
}

// mayClaim reports whether a writer may claim a session of another one, by the renewals of their keys: those of the
// claimant have not failed for as long as a key lasts, and the other one has not renewed its key in that time.
func (h *history) mayClaim(claim entry, owner string, ttl time.Duration) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	begins := map[string]int64{}
	own := false
	for _, e := range h.entries {
		if e.Do != opRenew || e.Writer != claim.Writer && e.Writer != owner {
			continue
		}
		if !e.End {
			begins[operation(e)] = e.Time
			continue
		}
		recent := claim.Time-ttl.Nanoseconds() < begins[operation(e)] && e.Time < claim.Time
		known := e.Time < claim.Time-ttl.Nanoseconds()/4 // when the claimant looked for the key, some time before its claim
		switch {
		case !recent:
		case e.Writer == owner && e.Outcome == ack && known, e.Writer == claim.Writer && e.Outcome != ack:
			return false
		case e.Writer == claim.Writer:
			own = true
		}
	}
	return own
}

// of returns the entries of a session.
func (h *history) of(session string) (entries []entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.entries {
		if e.Session == session {
			entries = append(entries, e)
		}
	}
	return entries
}

// by returns the last entries of a writer.
func (h *history) by(writer string, count int) (entries []entry) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, e := range h.entries {
		if e.Writer == writer {
			entries = append(entries, e)
		}
	}
	return entries[max(0, len(entries)-count):]
}

// begin returns when an operation began.
func (h *history) begin(end entry) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return beginOf(h.entries, end)
}

// beginOf returns when an operation began.
func beginOf(entries []entry, end entry) int64 {
	for _, e := range entries {
		if !e.End && operation(e) == operation(end) {
			return e.Time
		}
	}
	return end.Time
}
