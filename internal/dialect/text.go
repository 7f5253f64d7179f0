package dialect

import "unicode/utf8"

// Abridged is a text of the client's as an error may repeat it: at most this many bytes, and
// then a sign that there was more.
func Abridged(text string, most int) string {
	if len(text) <= most {
		return text
	}
	end := most
	for end > 0 && !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}
