package approval

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// Unseen says which characters of r are not seen as what they are where it is shown: they
// take no place, turn the direction of the text around them, look like blanks that divide
// words and do not, or are control characters. "" if there are none. Whoever approves r sees
// something else than what runs.
func (r Request) Unseen() string {
	texts := []string{r.Command, r.URL, r.Summary}
	for _, p := range r.Paths {
		texts = append(texts, p.Path, p.Shown)
	}
	var found []string
	for _, text := range texts {
		for _, c := range text {
			if name := fmt.Sprintf("U+%04X", c); unseen(c) && !slices.Contains(found, name) {
				found = append(found, name)
			}
		}
	}
	const most = 5
	switch {
	case len(found) == 0:
		return ""
	case len(found) > most:
		found = append(found[:most], "…")
	}
	return "it holds characters that cannot be seen: " + strings.Join(found, ", ")
}

// unseen is what Unseen counts. The selectors of variants, which are part of many an emoji, do not.
func unseen(c rune) bool {
	switch c {
	case '\n', '\t', ' ':
		return false
	case '\u115f', '\u1160', '\u3164', '\uffa0', '\u2800': // letters and a pattern without any ink
		return true
	}
	return unicode.In(c, unicode.Cc, unicode.Cf, unicode.Zs, unicode.Zl, unicode.Zp, unicode.Co)
}
