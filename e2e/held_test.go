package e2e

import (
	"io"
	"testing"

	"parley.dev/parley/e2e/stage"
)

// A held says when a command of the shell tool runs, and when all that it started has ended.
type held struct {
	t testing.TB
	*stage.Held
}

// holding makes the pipe hold in the workspace of p.
func holding(t testing.TB, p *place) *held {
	t.Helper()
	return &held{t, stage.Holding(t, p.work)}
}

const (
	family   = stage.Family
	stubborn = stage.Stubborn
)

func (h *held) started() {
	h.t.Helper()
	h.Started()
}

func (h *held) asked() {
	h.t.Helper()
	h.Asked()
}

func (h *held) wantGone() {
	h.t.Helper()
	h.WantGone()
}

// drain reads all that is left to read.
func drain(r io.Reader) { _, _ = io.Copy(io.Discard, r) }
