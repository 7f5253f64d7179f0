package scaiflux

import (
	"strings"
	"testing"
)

func FuzzParseStatus(f *testing.F) {
	for _, out := range []string{"", " M a\x00?? b c\x00", "R  new\x00old\x00A  x\x00", "R  new", "\x00\x00", "C"} {
		f.Add(out)
	}
	f.Fuzz(func(t *testing.T, out string) {
		for _, file := range parseStatus(out) {
			if file.Path == "" || len(file.Status) > 2 || !strings.Contains(out, file.Path) {
				t.Errorf("%+v of %q", file, out)
			}
		}
	})
}
