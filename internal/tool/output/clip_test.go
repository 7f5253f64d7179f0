package output

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestClip(t *testing.T) {
	long := strings.Repeat("0123456789", 30)
	for _, tc := range []struct {
		name, text  string
		keep, limit int
		want        string
		omitted     int64
	}{
		{"nothing", "", 100, 100, "", 0},
		{"fits exactly", long[:100], 100, 100, long[:100], 0},
		{"fits but for a byte", long[:101], 101, 100, long[:26] + "\n[… 49 bytes omitted …]\n" + long[75:101], 49},
		{"was never kept", long, 100, 100, long[:26] + "\n[… 248 bytes omitted …]\n" + long[274:], 248},
		{"was kept for longer", long, 200, 68, long[:10] + "\n[… 280 bytes omitted …]\n" + long[290:], 280},
		{"was all kept in the first half", long, 1000, 68, long[:10] + "\n[… 280 bytes omitted …]\n" + long[290:], 280},
		{"was all kept", long, 400, 248, long[:100] + "\n[… 100 bytes omitted …]\n" + long[200:], 100},
		{"cut within runes", strings.Repeat("€", 100), 100, 68, "€€€\n[… 282 bytes omitted …]\n€€€", 282},
		{"no room but for the note", long, 100, 48, "\n[… 300 bytes omitted …]\n", 300},
		{"no room at all", long, 100, 0, "\n[… 300 bytes omitted …]\n", 300},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, step := range []int{1, 7, 64, 1000} {
				text, omitted := clipped(tc.text, tc.keep, step).cut(tc.limit)
				if string(text) != tc.want || omitted != tc.omitted {
					t.Errorf("in steps of %d: %q, %d omitted\nwant %q, %d", step, text, omitted, tc.want, tc.omitted)
				}
			}
		})
	}
}

// clipped returns a clip of text that was written in pieces of step bytes.
func clipped(text string, keep, step int) *clip {
	c := newClip(keep)
	for len(text) > 0 {
		n := min(step, len(text))
		if wrote, err := c.Write([]byte(text[:n])); wrote != n || err != nil {
			panic(fmt.Sprint(wrote, err))
		}
		text = text[n:]
	}
	return c
}

func FuzzClip(f *testing.F) {
	f.Add("hello", 10, 3, 100)
	f.Add(strings.Repeat("wörld ", 50), 100, 7, 80)
	f.Add(strings.Repeat("日本", 200), 333, 50, 333)
	f.Fuzz(func(t *testing.T, text string, keep, step, limit int) {
		text = strings.ToValidUTF8(text, "\uFFFD")
		keep, step = 1+NoteRoom+abs(keep)%1000, 1+abs(step)%2000
		limit = NoteRoom + abs(limit)%keep
		got, omitted := clipped(text, keep, step).cut(limit)
		if omitted == 0 {
			if string(got) != text {
				t.Fatalf("%q became %q", text, got)
			}
			return
		}
		if len(got) > limit || !utf8.Valid(got) {
			t.Fatalf("%d bytes for a limit of %d, or not UTF-8: %q", len(got), limit, got)
		}
		if room := limit - NoteRoom - 2*(utf8.UTFMax-1); limit <= keep && len(got) < room {
			t.Fatalf("%d bytes of %d, though there is room for %d", len(got), len(text), room)
		}
		head, tail, ok := strings.Cut(string(got), fmt.Sprintf(note, omitted))
		if !ok || !strings.HasPrefix(text, head) || !strings.HasSuffix(text, tail) ||
			int64(len(head)+len(tail))+omitted != int64(len(text)) {
			t.Fatalf("%q became %q, %d omitted", text, got, omitted)
		}
	})
}

func abs(n int) int {
	if n < 0 {
		return -(n + 1)
	}
	return n
}
