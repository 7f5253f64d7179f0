package sse

import (
	"testing"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// FuzzJoined writes a text as JSON in two ways, cuts both at any place that is not inside
// an escape, and wants it back whole out of valid pieces.
func FuzzJoined(f *testing.F) {
	f.Add("a😀ß\n\\ud83d", 3, 5)
	f.Add("\\\\😀", 2, 8)
	f.Fuzz(func(t *testing.T, text string, cut1, cut2 int) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		for _, units := range [][]string{byteUnits(text), escapeUnits(text)} {
			var j joined
			got := ""
			for _, part := range cutUnits(units, cut1, cut2) {
				piece := j.add(jsontext.Value(`"` + part + `"`))
				if !utf8.ValidString(piece) {
					t.Errorf("piece %q is not UTF-8", piece)
				}
				got += piece
			}
			if got += j.rest(); got != text {
				t.Errorf("got %q, want %q", got, text)
			}
		}
	})
}

// byteUnits returns text as JSON, cut into all that one may cut it into: bytes and escapes.
func byteUnits(text string) (units []string) {
	for i := range len(text) {
		switch c := text[i]; {
		case c == '"' || c == '\\':
			units = append(units, `\`+string(c))
		case c < ' ':
			units = append(units, escape(uint16(c)))
		default:
			units = append(units, text[i:i+1])
		}
	}
	return units
}

// escapeUnits returns text as nothing but escapes.
func escapeUnits(text string) (units []string) {
	for _, c := range utf16.Encode([]rune(text)) {
		units = append(units, escape(c))
	}
	return units
}

func escape(c uint16) string {
	const hex = "0123456789abcdef"
	return `\u` + string([]byte{hex[c>>12], hex[c>>8&15], hex[c>>4&15], hex[c&15]})
}

func cutUnits(units []string, cuts ...int) []string {
	parts := []string{""}
	for i, unit := range units {
		for _, cut := range cuts {
			if i == cut {
				parts = append(parts, "")
			}
		}
		parts[len(parts)-1] += unit
	}
	return parts
}
