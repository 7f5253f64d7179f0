package agentair

const (
	meterStep     = 32 // tokens of output between two updates
	bytesPerToken = 4
)

// A meter estimates the tokens of an answer while it comes in, where the size of its request is known.
type meter struct {
	input int // tokens of the request; 0: not known, and nothing is due
	bytes int // of the answer
	sent  int // tokens of the last update
}

// add takes bytes of text. It returns the tokens of output so far, and whether an update is due.
func (m *meter) add(bytes int) (output int, due bool) {
	m.bytes += bytes
	output = m.bytes / bytesPerToken
	if m.input == 0 || output < m.sent+meterStep {
		return output, false
	}
	m.sent = output
	return output, true
}
