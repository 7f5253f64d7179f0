//go:build linux

package soak

import (
	"fmt"
	"os"
	"syscall"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

const (
	wave = 1000 // connections that are open at once
	// What may be left when all of them are gone: the session works meanwhile, and has a command or a request of its own.
	mayStay = 16
)

// TestConnections opens connections to a host and cuts them, a thousand at a time, each after a random part of what a
// client sends, for as long as PARLEY_SOAK says. Meanwhile a session works, and a client follows it, which must lose
// nothing. At the end no descriptor and no goroutine is left; from a minute on growing memory is a failure.
func TestConnections(t *testing.T) {
	text := os.Getenv("PARLEY_SOAK")
	if text == "" {
		t.Skip("make soak runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	h := serve(t, stage.NewPlace(t), pace{pieces: 20, every: 5 * time.Millisecond})
	w := work(t, h, session, 0)
	waves := 0
	next := func() {
		h.wave(waves)
		waves++
	}
	serious := length >= time.Minute
	next() // what the first connections make for all
	if serious {
		next() // and the buffers of the most that are there at once
		next()
	}
	before := h.settled()
	var samples []sample
	begin, warm := time.Now(), waves
	for waves == warm || time.Since(begin) < length {
		next()
		samples = append(samples, sampleOf(h.process))
	}
	after := h.settled()
	turns := w.stop()
	report := fmt.Sprintf("%d connections in %s, %d turns meanwhile; before: %+v; after: %+v", waves*wave, time.Since(begin).Round(time.Second), turns, before, after)
	t.Log(report)
	if after.goroutines > before.goroutines+mayStay || after.files > before.files+mayStay {
		t.Error("something is left: " + report)
	}
	if half := len(samples) / 2; serious && half > 0 {
		memory := func(s sample) int64 { return s.memory }
		first, second := median(samples[:half], memory), median(samples[half:], memory)
		fmt.Fprintf(os.Stderr, "%s: %s; PSS %d MiB, then %d MiB\n", t.Name(), report, first>>20, second>>20)
		if second-first > mayGrow {
			t.Errorf("memory grew by %d MiB", (second-first)>>20)
		}
	}
	h.process.Signal(syscall.SIGTERM)
	if code := h.process.Code(); code != 0 {
		t.Errorf("exit code %d; %s", code, h.process.Stderr)
	}
}
