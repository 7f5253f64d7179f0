package codex

import (
	"parley.dev/parley/internal/dialect"
	"parley.dev/parley/internal/lock"
)

// heldOutput bounds the output of programs that waits for the answer to a request, in bytes.
const heldOutput = 1 << 20

// A programOutput sends what programs write, after the answers to the requests that may have caused it.
type programOutput struct {
	out *dialect.Output

	mu       lock.Mutex
	requests int // to write to a program, without an answer
	held     [][]byte
	size     int // of held, in bytes
}

// put sends a line, and waits until there is space for it, or holds it while a request has no answer.
func (o *programOutput) put(line []byte) {
	if !o.hold(line) {
		o.out.Put(line)
	}
}

// hold reports whether a line is sent later.
func (o *programOutput) hold(line []byte) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.requests > 0 && o.size+len(line) <= heldOutput {
		o.held, o.size = append(o.held, line), o.size+len(line)
		return true
	}
	o.release()
	return false
}

// begin holds lines until the function that it returns is called, once the answer to a request is queued.
func (o *programOutput) begin() (answered func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.requests++
	return func() {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.requests--; o.requests == 0 {
			o.release()
		}
	}
}

// release queues the lines that are held. The caller holds mu.
func (o *programOutput) release() {
	for _, line := range o.held {
		o.out.Post(line)
	}
	o.held, o.size = nil, 0
}
