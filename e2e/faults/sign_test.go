//go:build linux

package faults

import (
	"bufio"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/e2e/stage"
)

// A sign is what a line means, in any dialect.
type sign struct {
	kind kind
	id   string // of what was opened, accepted, called, returned or asked
	text string // of text
	how  outcome
}

type kind int

const (
	ready     kind = iota // the process is there
	opened                // so is its session
	accepted              // a prompt is taken
	refused               // a request is not taken
	began                 // a turn
	text                  // a piece of the answer
	input                 // a piece of a call's input
	called                // a tool call is shown
	asked                 // and waits for the client
	returned              // and is over
	ended                 // the turn is over
	compacted             // a compaction on request is over, however
)

// An outcome is how a turn ended.
type outcome string

const (
	completed   outcome = "completed"
	interrupted outcome = "interrupted"
	failed      outcome = "failed"
)

// A tap reads the output of a process as it comes, and says what it means.
type tap struct {
	t        testing.TB
	patience time.Duration // for what is waited for
	open     sync.Mutex    // locked: the output is not read

	mu      sync.Mutex
	signs   []sign
	last    string // line
	over    bool   // the output has ended
	wrong   error  // about the lines
	changed chan struct{}
}

// listen reads from stdout until it ends; hear is called for each sign, in the reader's goroutine.
func listen(t testing.TB, stdout io.Reader, read func(line []byte) []sign, hear func(sign)) *tap {
	p := &tap{t: t, patience: stage.Patience, changed: make(chan struct{})}
	go func() {
		lines := bufio.NewReaderSize(stdout, 4096)
		for {
			line, err := lines.ReadBytes('\n')
			p.open.Lock()
			p.open.Unlock() //nolint:staticcheck // only waits until reading is allowed
			p.take(line, err, read, hear)
			if err != nil {
				return
			}
		}
	}()
	return p
}

func (p *tap) take(line []byte, err error, read func([]byte) []sign, hear func(sign)) {
	var signs []sign
	switch {
	case err != nil:
	case !jsontext.Value(line).IsValid():
		err = fmt.Errorf("not a line of JSON: %.300q", line)
	default:
		signs = read(line)
	}
	p.mu.Lock()
	if len(line) > 0 {
		p.last = string(line)
	}
	p.signs = append(p.signs, signs...)
	switch {
	case err == nil:
	case strings.HasPrefix(err.Error(), "not a line") && p.wrong == nil:
		p.wrong = err
	default:
		p.over = true
	}
	close(p.changed)
	p.changed = make(chan struct{})
	p.mu.Unlock()
	for _, s := range signs {
		hear(s)
	}
}

// stall stops the reading until goOn is called.
func (p *tap) stall() (goOn func()) {
	p.open.Lock()
	return p.open.Unlock
}

// heard returns all signs so far.
func (p *tap) heard() []sign {
	p.mu.Lock()
	defer p.mu.Unlock()
	return append([]sign(nil), p.signs...)
}

// until waits until enough holds of the signs; over: or the output has ended.
func (p *tap) until(what string, enough func(signs []sign, over bool) bool) {
	p.t.Helper()
	limit := time.After(p.patience)
	for {
		p.mu.Lock()
		done := enough(p.signs, p.over)
		over, changed, last := p.over, p.changed, p.last
		p.mu.Unlock()
		switch {
		case done:
			return
		case over:
			p.t.Fatalf("the output ended before %s; the last line is %.500s", what, last)
		}
		select {
		case <-changed:
		case <-limit:
			p.t.Fatalf("waited in vain for %s; the last line is %.500s", what, last)
		}
	}
}

// await waits for the first sign of a kind after the first after ones, and is its place
// after which to look next.
func (p *tap) await(k kind, after int) (sign, int) {
	p.t.Helper()
	var found sign
	at := -1
	p.until(fmt.Sprintf("a sign of kind %d", k), func(signs []sign, _ bool) bool {
		for i := after; i < len(signs); i++ {
			if signs[i].kind == k {
				found, at = signs[i], i+1
				return true
			}
		}
		return false
	})
	return found, at
}

// end waits for the end of the output.
func (p *tap) end() {
	p.t.Helper()
	p.until("its end", func(_ []sign, over bool) bool { return over })
}

// said returns all text after the first after signs.
func said(signs []sign, after int) string {
	var b strings.Builder
	for _, s := range signs[after:] {
		b.WriteString(s.text)
	}
	return b.String()
}

// count returns how many signs are of a kind.
func count(signs []sign, k kind) (n int) {
	for _, s := range signs {
		if s.kind == k {
			n++
		}
	}
	return n
}

// write sends text and minds nothing: the process may be gone.
func write(stdin io.Writer, text string) { _, _ = io.WriteString(stdin, text) }
