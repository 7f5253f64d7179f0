package session

import (
	"fmt"
	"slices"
	"strings"
)

// MinExcerpt is the least that is left of a text that is shortened, in bytes.
const MinExcerpt = 200

// LongestFitting returns the length to which texts of these sizes are cut so that they have limit
// together.
func LongestFitting(sizes []int, limit int) int {
	slices.Sort(sizes)
	for i, size := range sizes {
		share := limit / (len(sizes) - i)
		if size > share {
			return max(share, MinExcerpt)
		}
		limit -= size
	}
	return int(^uint(0) >> 1) // all fit
}

// CutMiddle returns text, or about limit bytes of its beginning and its end with a note between them
// that reports how many bytes are missing, and why.
func CutMiddle(text string, limit int, why string) string {
	if len(text) <= limit {
		return text
	}
	head, tail := limit*2/3, limit/3
	return strings.ToValidUTF8(text[:head], "") + fmt.Sprintf("\n… %d bytes %s …\n", len(text)-head-tail, why) +
		strings.ToValidUTF8(text[len(text)-tail:], "")
}
