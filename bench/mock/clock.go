package mock

import (
	"bytes"
	"strconv"
	"time"
)

var start = time.Now()

// Now returns the time of the measurements: of the one process that sends and receives.
func Now() time.Duration { return time.Since(start) }

// A delta is text that ends with its mark, so that a reader can count deltas
// whether or not they are merged. A stamped one also says when it was sent.
const (
	plain    = "word" + string(mark)
	unsent   = "@000000000000000" + string(mark)
	mark     = ';'
	at       = '@'
	stampLen = len(unsent)
)

// stamp writes now into the first unsent delta of a frame.
func stamp(frame []byte, now time.Duration) {
	i := bytes.Index(frame, []byte(unsent))
	if i < 0 {
		return
	}
	digits := frame[i+1 : i+stampLen-1]
	for n, left := len(digits)-1, int64(now); n >= 0; n, left = n-1, left/10 {
		digits[n] = byte('0' + left%10)
	}
}

// Count returns how many deltas a text is made of.
func Count(text []byte) int { return bytes.Count(text, []byte{mark}) }

// Sent calls each with when the stamped deltas of a text were sent.
func Sent(text []byte, each func(time.Duration)) {
	for {
		i := bytes.IndexByte(text, at)
		if i < 0 || len(text) < i+stampLen {
			return
		}
		if ns, err := strconv.ParseInt(string(text[i+1:i+stampLen-1]), 10, 64); err == nil {
			each(time.Duration(ns))
		}
		text = text[i+stampLen:]
	}
}
