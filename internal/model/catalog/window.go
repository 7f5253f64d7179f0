package catalog

import (
	"strconv"
	"strings"

	"parley.dev/parley/internal/lazy"
)

// The windows that a name may say, in tokens.
const (
	minWindow = 2000
	maxWindow = 10_000_000
)

// units are what a number in a name counts, as in mock-32k or long-1m.
var units = lazy.Value[map[byte]int]{New: func() map[byte]int { return map[byte]int{'k': 1000, 'm': 1_000_000} }}

// windowOf returns the window that a name says; 0: it says none.
func windowOf(id string) int {
	words := strings.FieldsFunc(strings.ToLower(id), func(r rune) bool { return r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') })
	for _, word := range words {
		last := len(word) - 1
		n, err := strconv.Atoi(word[:last])
		if n *= units.Get()[word[last]]; err == nil && n >= minWindow && n <= maxWindow {
			return n
		}
	}
	return 0
}
