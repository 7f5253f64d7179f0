package verify

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/sandbox"
)

func TestResolve(t *testing.T) {
	s := Settings{DefaultProfile: "ci", Retries: 1, Profiles: map[string]jsontext.Value{
		"ci":    jsontext.Value(`{"mode":"command","commands":[{"name":"vet","command":"go vet","timeoutMs":1500},{"name":"lint","command":"lint","optional":true}],"onFailure":"retry_once"}`),
		"empty": jsontext.Value(`{"commands":[]}`),
		"lsp":   jsontext.Value(`{"mode":"lsp"}`),
		"bad":   jsontext.Value(`{"comands":[]}`),
		"off":   jsontext.Value(`{"mode":"none"}`),
	}}
	none := Settings{}
	required := s
	required.Enabled, required.RequireIsolated = true, true
	ci := []Command{{Name: "vet", Line: "go vet", Limit: 1500 * time.Millisecond}, {Name: "lint", Line: "lint", Optional: true}}
	x := []Command{{Name: "x", Line: "true"}}
	for _, test := range []struct {
		name     string
		settings Settings
		asked    string
		shared   bool // not isolated
		want     *Plan
		refused  string
	}{
		{"absent", s, ``, false, nil, ""},
		{"false", required, `false`, false, nil, ""},
		{"required", required, ``, false, &Plan{"ci", ci, 1, RetryOnce}, ""},
		{"required, not isolated", required, ``, true, nil, ""},
		{"true", s, `true`, false, &Plan{"ci", ci, 1, RetryOnce}, ""},
		{"true without profiles", none, `true`, false, nil, "no verification profile or commands"},
		{"empty name", s, `""`, false, &Plan{"ci", ci, 1, RetryOnce}, ""},
		{"name", s, `"ci"`, false, &Plan{"ci", ci, 1, RetryOnce}, ""},
		{"unknown name", s, `"cd"`, false, nil, `Unknown or invalid verification profile "cd".`},
		{"invalid profile", s, `"bad"`, false, nil, `Unknown or invalid verification profile "bad".`},
		{"profile without commands", s, `"empty"`, false, nil, "at least one command"},
		{"language server", s, `"lsp"`, false, nil, "LSP-based"},
		{"language server inline", none, `{"lspDiagnostics":true}`, false, nil, "LSP-based"},
		{"none", s, `"off"`, false, nil, ""},
		{"mode none", s, `{"mode":"none"}`, false, nil, ""},
		{"inline", none, `{"commands":[{"name":"x","command":"true"}]}`, false, &Plan{"", x, 0, ReturnFailure}, ""},
		{"inline over the default profile", s, `{"commands":[{"name":"x","command":"true"}],"maxRetries":3}`, false, &Plan{"ci", x, 3, RetryOnce}, ""},
		{"inline over a profile", s, `{"profile":"ci","onFailure":"discard_patch"}`, false, &Plan{"ci", ci, 1, DiscardPatch}, ""},
		{"empty object", none, `{}`, false, nil, "no verification profile or commands"},
		{"not isolated", s, `true`, true, nil, "requires isolated task execution"},
		{"not isolated and off", s, `false`, true, nil, ""},
		{"unknown member", s, `{"comands":[]}`, false, nil, "cannot be read"},
		{"number", s, `3`, false, nil, "boolean"},
		{"command without a name", none, `{"commands":[{"name":"","command":"true"}]}`, false, nil, "needs a name"},
		{"unknown way", s, `{"onFailure":"shrug"}`, false, nil, "onFailure"},
	} {
		t.Run(test.name, func(t *testing.T) {
			plan, err := test.settings.Resolve(jsontext.Value(test.asked), !test.shared)
			if test.refused == "" && err != nil || test.refused != "" && (err == nil || !strings.Contains(err.Error(), test.refused)) {
				t.Fatalf("refused with %v, want %q", err, test.refused)
			}
			if diff := cmp.Diff(test.want, plan); test.refused == "" && diff != "" {
				t.Errorf("plan (-want +got):\n%s", diff)
			}
		})
	}
}

func newRunner(t *testing.T) Runner {
	t.Helper()
	spawner := sandbox.NewSpawner(sandbox.Options{Grace: 200 * time.Millisecond})
	t.Cleanup(spawner.Close)
	return Runner{
		Spawner: spawner, Environ: []string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir()},
		Confine: sandbox.Policy{Level: sandbox.Full}, Dir: t.TempDir(), Logs: filepath.Join(t.TempDir(), "logs"), Log: "0-Add.verify",
	}
}

func TestAttempt(t *testing.T) {
	r := newRunner(t)
	var events []string
	r.Began = func(name string) { events = append(events, "began "+name) }
	r.Ended = func(c event.VerificationCommand) { events = append(events, "ended "+c.Name) }
	a := r.Attempt(t.Context(), 2, []Command{
		{Name: "Says Both!", Line: "echo err >&2; echo out; touch made"},
		{Name: "fails", Line: "seq 1 30; exit 3"},
		{Name: "quiet", Line: "test -f made"},
		{Name: "optional", Line: "exit 4", Optional: true},
	})
	if a.Attempt != 2 || a.Status != event.VerificationFailed || a.Error == "" || a.Ended < a.Started {
		t.Errorf("the attempt is %+v", a)
	}
	var codes []int
	for _, c := range a.Commands {
		codes = append(codes, c.ExitCode)
	}
	if !slices.Equal(codes, []int{0, 3, 0, 4}) {
		t.Errorf("exit codes %v", codes)
	}
	if got := Failed(a); !slices.Equal(got, []string{"fails"}) {
		t.Errorf("failed: %q", got)
	}
	if want := filepath.Join(r.Logs, "0-Add.verify.a2-1-says-both.log"); a.Commands[0].Artifact != want {
		t.Errorf("the log is %s, want %s", a.Commands[0].Artifact, want)
	}
	if data, err := os.ReadFile(a.Commands[0].Artifact); err != nil || string(data) != "out\nerr\n" {
		t.Errorf("the log has %q, %v", data, err)
	}
	if a.Commands[2].Artifact != "" || a.Commands[2].Preview != "" {
		t.Errorf("a log of nothing: %+v", a.Commands[2])
	}
	if lines := strings.Split(a.Commands[1].Preview, "\n"); len(lines) != 20 || lines[19] != "30" || lines[0] != "11" {
		t.Errorf("the preview is %q", a.Commands[1].Preview)
	}
	if len(events) != 8 || events[2] != "began fails" || events[3] != "ended fails" {
		t.Errorf("events %q", events)
	}
}

// TestOptionalFailure: what is optional does not count.
func TestOptionalFailure(t *testing.T) {
	a := newRunner(t).Attempt(t.Context(), 1, []Command{{Name: "x", Line: "exit 1", Optional: true}, {Name: "y", Line: ":"}})
	if a.Status != event.VerificationPassed || a.Error != "" {
		t.Errorf("the attempt is %+v", a)
	}
}

// TestTimeout: a command that takes too long is ended with all that it started. On a busy machine it may
// not begin within the limit: then it gets a longer one.
func TestTimeout(t *testing.T) {
	r := newRunner(t)
	for limit := 200 * time.Millisecond; ; limit *= 2 {
		a := r.Attempt(t.Context(), 1, []Command{{Name: "slow", Line: `sleep 1000 & echo $! >child; echo waiting; wait`, Limit: limit}})
		c := a.Commands[0]
		if !c.TimedOut || c.ExitCode <= 128 || a.Status != event.VerificationFailed {
			t.Errorf("the command is %+v", c)
		}
		if c.Preview == "waiting" {
			break
		}
		if c.Preview != "" || limit > time.Minute {
			t.Fatalf("within %v the command wrote %q", limit, c.Preview)
		}
	}
	data, err := os.ReadFile(filepath.Join(r.Dir, "child"))
	if err != nil {
		t.Fatal(err)
	}
	pid := strings.TrimSpace(string(data))
	if running, err := os.ReadFile(filepath.Join("/proc", pid, "cmdline")); err == nil && len(running) > 0 {
		t.Errorf("process %s is still there: %q", pid, running)
	}
}

// TestInterrupted: what comes after an interrupt is not run, and nothing has passed.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r := newRunner(t)
	r.Began = func(string) { cancel() }
	a := r.Attempt(ctx, 1, []Command{{Name: "a", Line: "sleep 300"}, {Name: "b", Line: ":"}})
	if a.Status != event.VerificationFailed || len(a.Commands) != 1 || a.Commands[0].ExitCode == 0 || a.Commands[0].TimedOut {
		t.Errorf("the attempt is %+v", a)
	}
}

func TestPreview(t *testing.T) {
	long := strings.Repeat("ü", 10_000)
	for text, want := range map[string]string{
		"":             "",
		"\n\n a\n\n":   "a",
		"a\xff":        "a\uFFFD",
		long:           strings.Repeat("ü", previewChars),
		long + "\nend": strings.Repeat("ü", previewChars-4) + "\nend",
	} {
		if got := preview([]byte(text)); got != want {
			t.Errorf("preview of %d bytes is %d bytes, want %d", len(text), len(got), len(want))
		}
	}
}

func FuzzResolve(f *testing.F) {
	for _, text := range []string{`true`, `"ci"`, `{"commands":[{"name":"a","command":"b","timeoutMs":1e300}]}`, `{"profile":1}`, `{`} {
		f.Add(text)
	}
	s := Settings{DefaultProfile: "ci", Profiles: map[string]jsontext.Value{"ci": jsontext.Value(`{"commands":[{"name":"a","command":"b"}]}`)}}
	f.Fuzz(func(t *testing.T, text string) {
		value := jsontext.Value(text)
		if !value.IsValid() {
			return
		}
		plan, err := s.Resolve(value, true)
		if err == nil && plan != nil && (len(plan.Commands) == 0 || plan.check() != nil) {
			t.Errorf("the plan of %s is %+v", text, plan)
		}
	})
}
