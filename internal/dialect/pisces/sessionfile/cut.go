package sessionfile

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

const (
	// longestText is how long a text of a file may be, in UTF-16 units.
	longestText = 500_000
	cutNote     = "\n\n[Session persistence truncated large content]"
)

// shortened returns an entry whose texts are not too long. A signature that is too long is emptied,
// since a part of it is worth nothing; a picture is left whole.
func shortened(line jsontext.Value) jsontext.Value {
	return rawjson.Rewriter{
		Skips:  func(value jsontext.Value) bool { return len(value) <= longestText },
		Change: shortenText,
	}.Rewrite(line)
}

func shortenText(name string, data bool, value jsontext.Value) (jsontext.Value, bool) {
	s := rawjson.PlainText(value)
	switch {
	case data || utf16Length(s) <= longestText:
		return value, false
	case strings.HasSuffix(name, "Signature"):
		return jsontext.Value(`""`), true
	}
	return rawjson.Quoted(utf16Prefix(s, longestText-len(cutNote)) + cutNote), true
}

// utf16Length returns the length of a text in UTF-16 units.
func utf16Length(s string) int {
	n := 0
	for _, r := range s {
		n += utf16Units(r)
	}
	return n
}

// utf16Prefix returns the beginning of a text: at most n units, and whole characters.
func utf16Prefix(s string, n int) string {
	for i, r := range s {
		if n -= utf16Units(r); n < 0 {
			return s[:i]
		}
	}
	return s
}

func utf16Units(r rune) int {
	if r > 0xFFFF {
		return 2
	}
	return 1
}
