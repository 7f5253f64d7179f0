package doctor

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/google/go-cmp/cmp"
	"github.com/spf13/cobra"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/livecheck"
	"parley.dev/parley/internal/model/modeltest"
	"parley.dev/parley/internal/provider"
)

const doctorSecret = "sk-doctor-0123456789"

// everything is the answers of a model that works, in the order of the requests.
var everything = []modeltest.Reply{
	modeltest.Stream(modeltest.Text("parley"), modeltest.Usage(model.Usage{Input: 20, Output: 1})),
	modeltest.Stream(modeltest.Call("c", "lookup_code", `{"name":"parley"}`), modeltest.Usage(model.Usage{Input: 90, Output: 9})),
	modeltest.Stream(modeltest.Text("The code is 7413."), modeltest.Usage(model.Usage{Input: 120, Output: 7})),
	modeltest.Stream(modeltest.Thinking("399 > 391"), modeltest.Text("399"), modeltest.Usage(model.Usage{Input: 30, Output: 20, Thinking: 15})),
	modeltest.Stream(modeltest.Text("Red."), modeltest.Usage(model.Usage{Input: 80, Output: 2})),
	modeltest.Stream(modeltest.Text("parley"), modeltest.Usage(model.Usage{Input: 6000, Output: 1})),
	modeltest.Stream(modeltest.Text("parley"), modeltest.Usage(model.Usage{Input: 20, CacheRead: 6000, Output: 1})),
}

// A doctorOutcome is how a check should end.
type doctorOutcome struct {
	status livecheck.Status
	says   string // part of the detail or of the fix
}

var doctorCases = []struct {
	name   string
	script []modeltest.Reply
	want   map[string]doctorOutcome // other checks: ok
	ok     bool
}{
	{"everything works", everything, nil, true},
	{
		"no pictures", otherwise(4, refused(400, "unknown variant image_url, expected text of org-secret123 by ann@example.com for "+doctorSecret)),
		map[string]doctorOutcome{livecheck.Picture: {livecheck.Failed, "set providers.lab.models.scripted-1.images to false"}},
		true,
	},
	{
		"pictures are not seen", otherwise(4, modeltest.Stream(modeltest.Text("Blue."))),
		map[string]doctorOutcome{livecheck.Picture: {livecheck.Limited, "did not see"}},
		true,
	},
	{"nothing is cached", otherwise(6, everything[5]), map[string]doctorOutcome{livecheck.Cache: {livecheck.Limited, "no tokens of the second request"}}, true},
	{
		"no thinking", otherwise(3, refused(400, "reasoning_effort is not supported")),
		map[string]doctorOutcome{livecheck.Thinking: {livecheck.Failed, "rejected: "}},
		true,
	},
	{
		"no tools", append([]modeltest.Reply{everything[0], modeltest.Stream(modeltest.Text("I cannot."))}, everything[3:]...),
		map[string]doctorOutcome{livecheck.Tool: {livecheck.Failed, "without calling the tool"}},
		false,
	},
	{"results are refused", otherwise(2, refused(422, "no such id")), map[string]doctorOutcome{livecheck.Tool: {livecheck.Failed, "its result was refused"}}, false},
	{
		"a wrong key",
		[]modeltest.Reply{refused(401, "Incorrect key "+doctorSecret)},
		map[string]doctorOutcome{livecheck.Text: {livecheck.Failed, "check the key in LAB_KEY"}},
		false,
	},
	{
		"an answer that does not end",
		[]modeltest.Reply{modeltest.Stream(modeltest.Text("par"), modeltest.Wait(nil))},
		map[string]doctorOutcome{livecheck.Text: {livecheck.Failed, "no complete answer within 300ms"}},
		false,
	},
}

// otherwise returns everything with another reply in place of number n.
func otherwise(n int, with modeltest.Reply) []modeltest.Reply {
	script := append([]modeltest.Reply{}, everything...)
	script[n] = with
	return script
}

func refused(status int, message string) modeltest.Reply {
	return modeltest.Refuse(status, `{"error":{"message":"`+message+`"}}`, "Content-Type", "application/json")
}

// TestDoctorModel checks scripted models on each wire. Nothing that is private is in the report.
func TestDoctorModel(t *testing.T) {
	t.Setenv("HOME", "/home/ann")
	for _, c := range doctorCases {
		for _, api := range []string{config.APIChat, config.APIResponses, config.APIAnthropic} {
			t.Run(c.name+", "+api, func(t *testing.T) {
				server := modeltest.NewServer(t, c.script...)
				yes := true
				m := provider.New(provider.Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{"lab": {
					API: api, BaseURL: server.URL + "/v1?secret=query", APIKeyEnv: "LAB_KEY", Headers: map[string]string{"X-Team": "${LAB_TEAM}"},
					Models: map[string]config.ModelSettings{modeltest.Model: {Images: &yes, Thinking: []model.Thinking{model.Low}, Price: &model.Price{Input: 1}}},
				}}}, Getenv: configtest.Environment("LAB_KEY", doctorSecret, "LAB_TEAM", "team-secret")})
				timeout := time.Minute
				if strings.HasPrefix(c.name, "an answer") {
					timeout = 300 * time.Millisecond
				}
				var shown bytes.Buffer
				cmd := &cobra.Command{}
				cmd.SetOut(&shown)
				if err := examineModelLive(cmd, &app.App{Models: m}, "lab/"+modeltest.Model, timeout, true); (err == nil) != c.ok {
					t.Errorf("error = %v", err)
				}
				var report modelReport
				if err := json.Unmarshal(shown.Bytes(), &report); err != nil {
					t.Fatal(err)
				}
				if report.OK != c.ok || report.Endpoint != server.URL+"/v1" || report.API != api || report.Profile == "" || report.Model != "lab/"+modeltest.Model {
					t.Errorf("report = %+v", report)
				}
				for _, check := range report.Checks {
					want, other := c.want[check.Check]
					if !other {
						want.status = livecheck.OK
					}
					if check.Status != want.status || !strings.Contains(check.Detail+" "+check.Fix, want.says) {
						t.Errorf("%+v, want %+v", check, want)
					}
					if err := check.print(&shown); err != nil {
						t.Error(err)
					}
				}
				if len(c.script) > 1 && len(report.Checks) != 5 {
					t.Errorf("%d checks, want 5", len(report.Checks))
				}
				for _, secret := range []string{doctorSecret, "team-secret", "secret=query", "/home/ann", "org-secret123", "ann@example.com"} {
					if strings.Contains(shown.String(), secret) {
						t.Errorf("the report shows %s", secret)
					}
				}
			})
		}
	}
}

// TestDoctorWindow checks that a small window is reported, with what the kind of server needs.
func TestDoctorWindow(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/v1/models":
			io.WriteString(w, `{"data":[{"id":"small","max_model_len":8192},{"id":"large","max_model_len":65536},{"id":"loaded"}]}`)
		case "/api/ps":
			io.WriteString(w, `{"models":[{"model":"loaded","context_length":4096}]}`)
		}
	}))
	t.Cleanup(server.Close)
	m := provider.New(provider.Options{Settings: config.Settings{Providers: map[string]config.ProviderSettings{
		"lab": {BaseURL: server.URL, Profile: "vllm"}, "home": {BaseURL: server.URL, Profile: "ollama"},
	}}, Getenv: configtest.Environment()})
	for name, want := range map[string]string{"lab/small": "--max-model-len", "lab/large": "", "home/loaded": "OLLAMA_CONTEXT_LENGTH"} {
		found, err := m.Resolve(name)
		if err != nil {
			t.Fatal(err)
		}
		p, _ := m.EndpointOf(found.Info)
		got := checkWindow(t.Context(), m, p, found.Info)
		if (got == nil) != (want == "") || got != nil && (!strings.Contains(got.Fix, want) || got.Status != livecheck.Limited) {
			t.Errorf("%s: %+v, want %q", name, got, want)
		}
	}
}

// TestDoctorModelText shows the report as it is printed.
func TestDoctorModelText(t *testing.T) {
	var out bytes.Buffer
	r := &modelReport{
		Version: "1.2.3", Platform: "linux/amd64", Model: "lab/m", Endpoint: "https://lab/v1", API: config.APIChat, Profile: "vllm",
		ContextWindow: 8192, MaxOutput: 1024, Thinking: []model.Thinking{model.Low, model.High}, Usage: model.Usage{Input: 7, CacheRead: 3, Output: 2}, Cost: 0.0125,
	}
	c := modelCheck{Check: livecheck.Tool, Status: livecheck.Failed, Detail: "no call", Fix: "a template", Calls: 1, Usage: model.Usage{Input: 90, Output: 9}, FirstMS: 300, TookMS: 1500}
	for _, print := range []func() error{func() error { return r.printHead(&out) }, func() error { return c.print(&out) }, func() error { return r.printEnd(&out) }} {
		if err := print(); err != nil {
			t.Fatal(err)
		}
	}
	want := `parley        1.2.3 linux/amd64
model         lab/m
endpoint      https://lab/v1
api, profile  chat, vllm
window        8192 tokens, answers up to 1024 (a guess: the model is not known)
thinking      low, high
pictures      no

failed   tool      no call
                   1.5 s, first token after 0.3 s; 90 tokens in, 9 out
                   fix: a template

10 tokens in, 2 out, about $0.0125. This report contains no keys, headers or paths and can be published.
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
