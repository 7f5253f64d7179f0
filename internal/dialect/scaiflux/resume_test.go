package scaiflux

import (
	"bytes"
	"io"
	"log/slog"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// TestModeOfOthers: --permission-mode is refused with a session that another protocol has made, as it would not have an effect; the
// mode that the session has is none.
func TestModeOfOthers(t *testing.T) {
	work := t.TempDir()
	p, err := dialecttest.Open([]string{"PARLEY_HOME=" + t.TempDir(), "PWD=" + work}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	host := engine.NewHost(p.Config(newScripted(p.Getenv), nil))
	for _, test := range []struct {
		profile string
		refused bool
	}{{profile, false}, {"other", true}, {"", true}} {
		o := Options(Flags{})
		o.Profile = test.profile
		settings := event.Settings{Mode: string(approval.Prompt), Asking: approval.AskAlways, Sandbox: approval.Sandbox{Kind: approval.SandboxNone}}
		s, err := host.Create(t.Context(), engine.NewSession{Workspace: work, Settings: settings}, o)
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Save(); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		for mode, refused := range map[approval.Mode]bool{approval.Prompt: false, approval.FullAccess: test.refused} {
			var out bytes.Buffer
			code := Serve(t.Context(), Config{
				Host: host, In: strings.NewReader(""), Out: &out, Log: slog.New(slog.DiscardHandler),
				Flags: Flags{Workspace: work, Mode: mode, SetMode: true, Resume: string(s.ID())},
			})
			if got := strings.Contains(out.String(), "keeps its permissions"); got != refused || (code != 0) != refused {
				t.Errorf("%q with %s: exit %d, %s", test.profile, mode, code, out.String())
			}
		}
	}
}
