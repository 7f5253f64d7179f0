package lazy

import (
	"io"
	"testing"
)

func TestValue(t *testing.T) {
	made := 0
	v := Value[int]{New: func() int { made++; return 7 }}
	for range 2 {
		if got := v.Get(); got != 7 || made != 1 {
			t.Errorf("Get returns %d after %d calls of New, want 7 and one", got, made)
		}
	}
	if n := testing.AllocsPerRun(10, func() { v.Get() }); n != 0 {
		t.Errorf("Get allocates %v objects", n)
	}
}

func TestValues(t *testing.T) {
	made := 0
	v := Values[int, error]{New: func() (int, error) { made++; return 7, io.EOF }}
	for range 2 {
		if got, err := v.Get(); got != 7 || err != io.EOF || made != 1 {
			t.Errorf("Get returns %d, %v after %d calls of New, want 7, EOF and one", got, err, made)
		}
	}
}

func TestRegexp(t *testing.T) {
	r := Regexp{Expr: "^a+$"}
	if first := r.Get(); !first.MatchString("aa") || r.Get() != first {
		t.Errorf("%v is not the expression, or is compiled twice", first)
	}
}
