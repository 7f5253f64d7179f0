package background

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool/output"
)

// TestRingLaw: whatever is written and read, what comes out is what went in, in order, but for what is
// said to be left out.
func TestRingLaw(t *testing.T) {
	piece := rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]string{"a", "é", "日", "🍐", "\n"}), 0, 40),
		func(runes []string) string { return strings.Join(runes, "") })
	rapid.Check(t, func(t *rapid.T) {
		var written strings.Builder
		r := Ring{wrote: func() {}}
		at := int64(0)
		for range rapid.IntRange(1, 30).Draw(t, "steps") {
			if rapid.Bool().Draw(t, "write") {
				text := strings.Repeat(piece.Draw(t, "piece"), rapid.SampledFrom([]int{1, 1, 5000}).Draw(t, "times"))
				written.WriteString(text)
				for len(text) > 0 {
					n := min(len(text), rapid.SampledFrom([]int{1, 3, 70_000}).Draw(t, "cut"))
					_, _ = r.Write([]byte(text[:n]))
					if text = text[n:]; n < 10 && len(text) > 100 {
						_, _ = r.Write([]byte(text))
						break
					}
				}
				continue
			}
			limit := rapid.SampledFrom([]int{1, 10, 9000, maxRing}).Draw(t, "limit")
			room := rapid.SampledFrom([]int{4, 100, 50 << 10}).Draw(t, "room")
			newest, peek := rapid.Bool().Draw(t, "newest"), rapid.Bool().Draw(t, "peek")
			got := r.Take(limit, room, newest, peek)
			whole := []rune(string(plainOf(written.String())))
			from := at + got.Missed
			n := int64(utf8.RuneCountInString(got.Text))
			if n > int64(limit) || len(got.Text) > room || !utf8.ValidString(got.Text) {
				t.Fatalf("%d characters, %d bytes", n, len(got.Text))
			}
			if int64(len(whole)) < from+n || string(whole[from:from+n]) != got.Text {
				t.Fatalf("read %.50q at %d", got.Text, from)
			}
			if newest && got.Left > 0 || n == 0 && got.Left > 0 {
				t.Fatalf("%d left", got.Left)
			}
			if !peek {
				at = from + n
			}
		}
	})
}

// plainOf returns text as a ring has it: without a rune at its end that is not whole yet.
func plainOf(text string) []byte { return output.PlainText(output.WholeRunes([]byte(text))) }

func TestMayReach(t *testing.T) {
	full, look := sandbox.Policy{Level: sandbox.Full}, sandbox.Policy{Level: sandbox.ReadOnly}
	work := sandbox.Policy{Level: sandbox.WorkspaceWrite, Writable: []string{"/w"}}
	online := work
	online.Network = true
	other := work
	other.Writable = []string{"/v"}
	all := []sandbox.Policy{full, look, work, online, other}
	for i, then := range all {
		for j, now := range all {
			if got := MayReach(then, now); got != (i == j || j == 0) {
				t.Errorf("from %+v to %+v: %t", now, then, got)
			}
		}
	}
}
