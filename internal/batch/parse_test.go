package batch

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

var flags = Defaults{Repo: "/repo", Ref: "main", Model: "m", Sandbox: DefaultSandbox, Timeout: DefaultTimeout, Attempts: 3}

func TestParse(t *testing.T) {
	const all = `{"id":"tax-17","prompt":"Fix it","repo":"https://x.test/shop","ref":"v1","dir":"a/b","model":"p/m","sandbox":"workspace-write","network":true,` +
		`"instructions":"Be brief.","verify":["go test ./..."],"budget":{"cost":0.5,"tool_calls":100,"wall_time":"10m"},"timeout":"20m","attempts":5,` +
		`"retry_on":["verify","lost"],"labels":{"os":"linux"}}`
	got, err := Parse(strings.NewReader("\ufeff"+all+"\r\n\n  \n{\"prompt\":\"b\",\"id\":\"x\"}"), flags)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, task := range got {
		line, err := json.Marshal(task, json.Deterministic(true))
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, string(line))
	}
	want := []string{
		`{"id":"tax-17","prompt":"Fix it","repo":"https://x.test/shop","ref":"v1","dir":"a/b","model":"p/m","sandbox":"workspace-write","network":true,` +
			`"instructions":"Be brief.","verify":["go test ./..."],"budget":{"wall_time":"10m0s","cost":0.5,"tool_calls":100},"timeout":"20m0s","attempts":5,` +
			`"retry_on":["lost","verify"],"labels":{"os":"linux"}}`,
		`{"id":"x","prompt":"b","repo":"/repo","ref":"main","model":"m","sandbox":"workspace-write","timeout":"30m0s","attempts":3,"retry_on":["lost","provider","setup"]}`,
	}
	if fmt.Sprintf("%q", lines) != fmt.Sprintf("%q", want) {
		t.Errorf("got  %q\nwant %q", lines, want)
	}
}

func TestParseErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                            "line 1: there is no task",
		"\n\n":                        "line 1: there is no task",
		"[1]":                         "line 1: want a JSON object",
		`{"prompt":"a"`:               "line 1: it is not JSON: byte 14: unexpected EOF",
		`{"prompt":"a"} x`:            "line 1: it is not JSON: byte 16: invalid character 'x' after top-level value",
		`{"promt":"a"}`:               `line 1: there is no member "promt"; did you mean "prompt"?`,
		`{"prompt":"a","prompt":"b"}`: "line 1: prompt: it is there twice",
		`{"prompt":5}`:                "line 1: prompt: expected a string, found a number",
		`{"prompt":" "}`:              "line 1: prompt: it is missing or empty",
		`{"id":""}`:                   "line 1: id: it is empty",
		`{"id":"a b","prompt":"a"}`:   `line 1: id "a b": want 1 to 100 characters of A-Z, a-z, 0-9, _ and -`,
		"{\"id\":\"a\",\"prompt\":\"1\"}\n\n{\"id\":\"a\",\"prompt\":\"2\"}": "line 3: the id a is that of line 1, too",
		"{\"prompt\":\"1\"}\n{ \"prompt\": \"1\" }":                          "line 2: the id " + idOf(`{"prompt":"1"}`) + " is that of line 1, too",
		`{"prompt":"a","attempts":0}`:                                        "line 1: attempts: want more than 0",
		`{"prompt":"a","attempts":101}`:                                      "line 1: attempts: want 1 to 100",
		`{"prompt":"a","timeout":"0s"}`:                                      "line 1: timeout: want more than 0",
		`{"prompt":"a","timeout":"20"}`:                                      `line 1: timeout: want a duration such as "20m"`,
		`{"prompt":"a","timeout":"1000h"}`:                                   "line 1: timeout: want 1s to 168h0m0s",
		`{"prompt":"a","sandbox":"none"}`:                                    `line 1: sandbox "none": want read-only, workspace-write or full-access`,
		`{"prompt":"a","sandbox":"read-only","network":true}`:                "line 1: network: it needs the sandbox workspace-write",
		`{"prompt":"a","budget":{"cost":-1}}`:                                "line 1: budget: cost: want a number above 0",
		`{"prompt":"a","budget":{"dollars":1}}`:                              `line 1: budget: "dollars": no such limit; possible are wall_time, input_tokens, output_tokens, total_tokens, cost, tool_calls, subagents, warn_at`,
		`{"prompt":"a","budget":{"cost":"1"}}`:                               `line 1: budget: cost: want a number, or of wall_time a text such as "10m"`,
		`{"prompt":"a","budget":{"wall_time":"1m,cost=9"}}`:                  `line 1: budget: wall_time: cannot read "1m,cost=9"`,
		`{"prompt":"a","retry_on":["always"]}`:                               `line 1: retry_on "always": want lost, provider, setup, verify or turn`,
		`{"prompt":"a","repo":"shop"}`:                                       `line 1: repo "shop": want an absolute path or the URL of a git repository`,
		`{"prompt":"a","repo":"ext::sh -c x"}`:                               `line 1: repo "ext::sh -c x": want an absolute path or the URL of a git repository`,
		`{"prompt":"a","repo":"/proc/self"}`:                                 `line 1: repo "/proc/self": it is a folder of the system, and no folder of files`,
		`{"prompt":"a","repo":"/x/../sys/"}`:                                 `line 1: repo "/x/../sys/": it is a folder of the system, and no folder of files`,
		`{"prompt":"a","repo":"ftp://x/y"}`:                                  `line 1: repo: the scheme "ftp" is none of https, http, ssh, git and file`,
		`{"prompt":"a","repo":"https://u:p@x/y"}`:                            "line 1: repo: the URL has a password; use a credential helper of git on the workers",
		`{"prompt":"a","ref":"--upload-pack=x"}`:                             "line 1: ref: want at most 4096 bytes, without control characters, that do not begin with -",
		`{"prompt":"a","dir":"../x"}`:                                        `line 1: dir "../x": want a path below the repository`,
		`{"prompt":"a","verify":[" "]}`:                                      "line 1: verify[0]: want a command of at most 16 KiB",
		`{"prompt":"a","labels":{"a=b":"c"}}`:                                `line 1: labels: "a=b" is not a name of 1 to 64 characters of A-Z, a-z, 0-9, _, . and -, or its value is too long`,
		strings.Repeat("x", MaxLine+2) + "\n{\"prompt\":\"a\"}\nx":           "line 1: the line is longer than 1 MiB\nline 3: want a JSON object",
		strings.Repeat("x\n", 22):                                            lineErrors(20) + "\n… and 2 more",
	} {
		tasks, err := Parse(strings.NewReader(text), flags)
		if err == nil || err.Error() != want {
			t.Errorf("%.80q:\n%v\nwant\n%s", text, err, want)
		}
		if tasks != nil {
			t.Errorf("%.80q: tasks were returned", text)
		}
	}
}

// endless is a device or a program that writes without end.
type endless struct{ text string }

func (e endless) Read(p []byte) (n int, err error) {
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}

// TestParseEnds: what has no end is not read for ever, whatever its lines are.
func TestParseEnds(t *testing.T) {
	for text, want := range map[string]string{
		"\x00":             "line 1: the tasks are longer than 2 MiB",
		"\n":               "line 1001: there are more than 1000 lines",
		"x\n":              lineErrors(20) + "\n… and 981 more",
		"{\"prompt\":\"\n": strings.ReplaceAll(lineErrors(20), "want a JSON object", `it is not JSON: byte 12: unexpected EOF`) + "\n… and 981 more",
	} {
		if _, err := parse(endless{text}, flags, 2<<20, 1000); err == nil || err.Error() != want {
			t.Errorf("%q:\n%v\nwant\n%s", text, err, want)
		}
	}
	if _, err := parse(strings.NewReader("\n\n{\"prompt\":\"a\"}\n"), flags, 18, 3); err != nil {
		t.Error("at the limits:", err)
	}
}

func lineErrors(n int) string {
	var lines []string
	for i := range n {
		lines = append(lines, fmt.Sprintf("line %d: want a JSON object", i+1))
	}
	return strings.Join(lines, "\n")
}

func idOf(line string) string {
	id, err := taskID([]byte(line))
	if err != nil {
		return err.Error()
	}
	return id
}

// TestIDs: ids depend on what is said, not on how it is written, and stay the same for ever.
func TestIDs(t *testing.T) {
	if a, b := idOf(`{"prompt":"a","ref":"x"}`), idOf(` { "ref" : "\u0078" , "prompt":"a" } `); a != b || a != "e503eff42f1c8f07" {
		t.Errorf("%s, %s", a, b)
	}
	one, err := Parse(strings.NewReader(`{"prompt":"a"}`), flags)
	if err != nil {
		t.Fatal(err)
	}
	other := flags
	other.Timeout = time.Hour
	two, err := Parse(strings.NewReader(`{"prompt":"a"}`), other)
	if err != nil {
		t.Fatal(err)
	}
	first, _ := Digest(one)
	second, _ := Digest(two)
	if first == second || one[0].ID != two[0].ID || batchID(first) != "b15e6df62412" {
		t.Errorf("digests %s and %s", first, second)
	}
}

// FuzzParse: a tasks file is read or refused with line numbers, and what was read can be read again and is the same.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		`{"prompt":"a"}`, "{\"id\":\"a\",\"prompt\":\"b\"}\r\n\r\n{\"prompt\":\"c\",\"budget\":{\"cost\":1e-3,\"wall_time\":\"5m\"}}", "\ufeff{}",
		`{"prompt":"x","retry_on":["turn","turn"],"labels":{"a":"b"},"verify":["true"],"timeout":"90s","attempts":2,"repo":"git@h:p"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tasks, err := Parse(strings.NewReader(text), flags)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "line ") {
				t.Errorf("%v", err)
			}
			return
		}
		var again strings.Builder
		for _, task := range tasks {
			line, err := encodeTask(task)
			if err != nil {
				t.Fatal(err)
			}
			_, _ = io.WriteString(&again, string(line)+"\n")
		}
		same, err := Parse(strings.NewReader(again.String()), flags)
		if err != nil {
			t.Fatalf("%q: %v", again.String(), err)
		}
		before, _ := Digest(tasks)
		if after, _ := Digest(same); before != after {
			t.Errorf("%q is another file when it is read again", again.String())
		}
	})
}
