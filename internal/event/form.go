package event

import "parley.dev/parley/internal/lock"

// A Form is what several readers of the same record make of it only once: the line that they send.
type Form struct {
	mu       lock.Mutex
	protocol string
	line     []byte
}

// Line returns the line for the record in a protocol, which the first caller encodes. The line must not be changed.
// Readers of another protocol encode their own. A nil Form shares nothing.
func (f *Form) Line(protocol string, encode func() []byte) []byte {
	if f == nil {
		return encode()
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.line == nil {
		f.protocol, f.line = protocol, encode()
	}
	if f.protocol != protocol {
		return encode()
	}
	return f.line
}
