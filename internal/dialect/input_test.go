package dialect

import (
	"errors"
	"io"
	"log/slog"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

func TestInput(t *testing.T) {
	for name, test := range map[string]struct {
		from   io.Reader
		silent bool // Panicked is nil
		want   []string
		code   int
	}{
		"the input ends":        {strings.NewReader("a\nb"), false, []string{"a", "b"}, ExitOK},
		"the last line":         {strings.NewReader("a\nlast\nb\n"), false, []string{"a", "last"}, ExitOK},
		"too long":              {strings.NewReader("a\n1234567890\nb\n"), false, []string{"a", "too long: 1234567890", "b"}, ExitOK},
		"cannot be read":        {io.MultiReader(strings.NewReader("a\n"), iotest.ErrReader(errors.New("no"))), false, []string{"a"}, ExitOK},
		"a defect":              {strings.NewReader("a\npanic\nb\n"), false, []string{"a", "panic", "panicked: broken"}, ExitInternal},
		"a defect without word": {strings.NewReader("a\npanic\nb\n"), true, []string{"a", "panic"}, ExitInternal},
	} {
		t.Run(name, func(t *testing.T) {
			var seen []string
			var log strings.Builder
			in := Input{
				From: test.from, Limit: 8, Log: slog.New(slog.NewTextHandler(&log, nil)),
				Handle: func(line []byte) bool {
					seen = append(seen, string(line))
					if string(line) == "panic" {
						panic("broken")
					}
					return string(line) != "last"
				},
				TooLong:  func(beginning []byte) { seen = append(seen, "too long: "+string(beginning)) },
				Panicked: func(p any) { seen = append(seen, "panicked: "+p.(string)) },
			}
			if test.silent {
				in.Panicked = nil
			}
			if code := in.Read(); code != test.code {
				t.Errorf("exit code %d, want %d", code, test.code)
			}
			if diff := cmp.Diff(test.want, seen); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if logged := strings.Contains(log.String(), "panic=broken"); logged != (test.code == ExitInternal) {
				t.Errorf("the log says %q", log.String())
			}
		})
	}
}
