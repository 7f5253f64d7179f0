package backendtest

import (
	"errors"
	"os"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
)

// writeScript replaces the script of the processes that start from here on.
func writeScript(f *fixture, script string) error {
	return os.WriteFile(f.script, []byte(script), 0o600)
}

// testStarts: an agent that cannot be used is an error of the start.
func testStarts(t *testing.T, s Subject) {
	t.Run("death", func(t *testing.T) {
		f := s.fixture(t, "start\nexit 4 no licence with "+secret)
		_, err := f.tryOpen("")
		if message := wantFailure(t, err, backend.CodeStart); !strings.Contains(message, "no licence") || strings.Contains(message, secret) {
			t.Errorf("the message is %q", message)
		}
	})
	t.Run("silence", func(t *testing.T) {
		f := s.fixture(t, "start\ndeaf")
		f.options.StartLimit = 1
		_, err := f.tryOpen("")
		wantFailure(t, err, backend.CodeStart)
	})
	t.Run("no program", func(t *testing.T) {
		f := s.fixture(t, "")
		program := f.options.Program
		f.options.Program = func(o backend.Opening) (backend.Program, error) {
			p, err := program(o)
			p.Path += ".missing"
			return p, err
		}
		_, err := f.tryOpen("")
		wantFailure(t, err, backend.CodeStart)
	})
}

// testResume: a session is resumed by another process, unless the agent does not have it any more.
func testResume(t *testing.T, s Subject) {
	f := s.fixture(t, "say One.")
	a := f.open("")
	f.run(f.ctx, a, nil).want(t, "text One.", "end: completed")
	id := a.ID()
	a.Close()
	if a.Alive() {
		t.Error("a closed agent is alive")
	}
	if !a.Info().Resumes {
		if _, err := f.tryOpen(id); !errors.Is(err, backend.ErrGone) {
			t.Errorf("the error is %v", err)
		}
		return
	}
	a = f.open(id)
	if a.ID() != id {
		t.Errorf("the session is %q, want %q", a.ID(), id)
	}
	f.run(f.ctx, a, nil).want(t, "text One.", "end: completed")
	a.Close()
	if err := os.Remove(f.script + ".sessions"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.tryOpen(id); !errors.Is(err, backend.ErrGone) {
		t.Errorf("the error is %v", err)
	}
}

// testSettings: what the agent offers can be chosen, at the start and between turns; a value that it does not have is refused.
func testSettings(t *testing.T, s Subject) {
	f := s.fixture(t, "settings\n\nsettings\n\nsettings")
	a := f.open("")
	offers, err := a.Offers(f.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range Models {
		if !slices.ContainsFunc(offers.Models, func(m backend.Model) bool { return m.ID == id }) {
			t.Errorf("the model %s is not in %+v", id, offers.Models)
		}
	}
	f.run(f.ctx, a, nil).want(t, "text model m-1, thinking low, style plain", "end: completed")
	to, style := backend.Settings{Model: Models[1], Thinking: model.XHigh}, Styles[0]
	if slices.ContainsFunc(offers.Options, func(o backend.Option) bool {
		return o.ID == "style" && o.Value == style && len(o.Values) == len(Styles)
	}) {
		style = Styles[1]
		to.Options = map[string]string{"style": style}
	} else if len(offers.Options) > 0 {
		t.Errorf("the options are %+v", offers.Options)
	}
	if err := a.Change(f.ctx, to); err != nil {
		t.Fatal(err)
	}
	f.run(f.ctx, a, nil).want(t, "text model m-2, thinking high, style "+style, "end: completed")
	to.Thinking = model.Medium
	if err := a.Change(f.ctx, to); err != nil {
		t.Fatal(err)
	}
	f.run(f.ctx, a, nil).want(t, "text model m-2, thinking low, style "+style, "end: completed")
	if offers, err = a.Offers(f.ctx); err != nil || offers.Model != "" && offers.Model != Models[1] {
		t.Errorf("the model is %q, %v", offers.Model, err)
	}
	wantFailure(t, a.Change(f.ctx, backend.Settings{Model: "m-9"}), backend.CodeRefused)
	if !a.Alive() {
		t.Error("the agent has ended")
	}
}

// testCompact: the context is summarised when the agent decides, and when the driver does.
func testCompact(t *testing.T, s Subject) {
	f := s.fixture(t, "say One.\ncompact They met.\nsay Two.\n\nsay Three.")
	a := f.open("")
	compacted, summarised := "They met.", Summary
	if s.NoSummaries {
		compacted, summarised = "", ""
	}
	f.run(f.ctx, a, nil).want(t, "text One.", "compacting", "compacted: "+compacted, "text Two.", "end: completed")
	summary, err := a.Compact(f.ctx)
	switch {
	case !a.Info().Compacts && !errors.Is(err, backend.ErrUnsupported):
		t.Errorf("the error is %v", err)
	case a.Info().Compacts && (err != nil || summary != summarised):
		t.Errorf("the summary is %q, %v", summary, err)
	}
	f.run(f.ctx, a, nil).want(t, "text Three.", "end: completed")
}

// testFork: a copy of a session is another session. Some agents can copy all of it only.
func testFork(t *testing.T, s Subject) {
	f := s.fixture(t, "say One.\n\nsay Two.")
	a := f.open("")
	f.run(f.ctx, a, nil)
	f.run(f.ctx, a, nil)
	for _, prompts := range []int{1, 2, backend.AllPrompts} {
		id, err := a.Fork(f.ctx, prompts)
		if errors.Is(err, backend.ErrUnsupported) && (!a.Info().Forks || prompts == 1) {
			continue
		}
		if err != nil || id == a.ID() || id == "" {
			t.Errorf("the copy of %d prompts is %q, %v", prompts, id, err)
			continue
		}
		b := f.open(id)
		if b.ID() != id {
			t.Errorf("the session is %q, want %q", b.ID(), id)
		}
		b.Close()
	}
}
