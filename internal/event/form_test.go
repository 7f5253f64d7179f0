package event

import "testing"

// TestForm: readers of one protocol share the line that the first of them encodes; others, and those without a form, encode their own.
func TestForm(t *testing.T) {
	encoded := 0
	encode := func() []byte { encoded++; return []byte{byte(encoded)} }
	f := new(Form)
	for _, c := range []struct {
		form     *Form
		protocol string
		want     byte
	}{{f, "a", 1}, {f, "a", 1}, {f, "b", 2}, {f, "a", 1}, {nil, "a", 3}} {
		if got := c.form.Line(c.protocol, encode); got[0] != c.want {
			t.Errorf("%s: line %d, want %d", c.protocol, got[0], c.want)
		}
	}
}
