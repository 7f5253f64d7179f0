package sse

import (
	"math"
	"strconv"
)

// Tokens is a number of tokens. Some servers write it as 5.0, or as null where they do not count;
// what is no whole number above zero counts as zero.
type Tokens int

func (n *Tokens) UnmarshalJSON(data []byte) error {
	*n = 0
	if read, err := strconv.ParseFloat(string(data), 64); err == nil && read > 0 && read < 1<<53 && read == math.Trunc(read) {
		*n = Tokens(read)
	}
	return nil
}
