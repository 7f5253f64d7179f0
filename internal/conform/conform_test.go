package conform

import (
	"bufio"
	"encoding/xml"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"
)

// fakeVariable makes a server of the test program: its value is what is wrong with it.
const fakeVariable = "CONFORM_FAKE"

func TestMain(m *testing.M) {
	if fault, ok := os.LookupEnv(fakeVariable); ok {
		serve(fault)
		return
	}
	if fault, ok := os.LookupEnv(clientVariable); ok {
		os.Exit(runClient(fault))
	}
	os.Exit(m.Run())
}

// serve answers each line {"id":…} with {"id":…,"answer":"yes"}, and ends at the end of input.
func serve(fault string) {
	if fault == "no JSON" {
		fmt.Println("Welcome!")
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			ID any `json:"id"`
		}
		switch err := json.Unmarshal(lines.Bytes(), &request); {
		case err != nil || fault == "silent":
		case fault == "twice":
			fmt.Printf("{\"id\":%v,\"answer\":\"yes\"}\n{\"id\":%v,\"answer\":\"yes\"}\n", request.ID, request.ID)
		default:
			fmt.Printf("{\"id\":%v,\"answer\":\"yes\",\"more\":[1,{\"n\":2}]}\n", request.ID)
		}
	}
	switch fault {
	case "orphan":
		fmt.Fprintln(os.Stderr, "leaving a process")
		cmd := exec.Command("sleep", "300")
		if err := cmd.Start(); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
	case "deaf":
		select {}
	case "code":
		os.Exit(3)
	}
}

const fakeCase = `An answer comes once, and the process ends.
source: this test
-- wire --
> {"id":1}
< {"id":1,"answer":"$answer"}
! {"id":1}
> {"id":2}
< {"id":2,"answer":"$answer","more":[{"n":2}]}
eof
ends 0
`

// TestRun: what is wrong with a server is found, and reported with what shows it.
func TestRun(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"":        "",
		"silent":  "waited for \n  {\"id\":1,\"answer\":\"$answer\"}: 3s have passed",
		"no JSON": "a line is not a JSON object",
		"twice":   "a line came that must not come:\n  {\"id\":1}",
		"orphan":  "its processes have not:",
		"deaf":    "the program does not end: 2s have passed",
		"code":    "exit code 3, and not 0",
	} {
		t.Run("fault "+fault, func(t *testing.T) {
			t.Parallel()
			if fault == "orphan" && processes("", "/") == nil {
				t.Skip("processes of others are not seen on this system")
			}
			r := play1(t, fakeCase, fault)
			status := Failed
			if want == "" {
				status = Passed
			}
			if r.Status != status || !strings.Contains(r.Reason, want) {
				t.Errorf("%s: %s\n%s", r.Status, r.Reason, strings.Join(r.Dialogue, "\n"))
			}
			if fault == "orphan" && !slices.Contains(r.Stderr, "leaving a process") {
				t.Errorf("stderr is %q", r.Stderr)
			}
		})
	}
}

// play1 plays one case with the server of this test.
func play1(t *testing.T, text, fault string) Result {
	t.Helper()
	c, err := parse("one", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	limit := time.Minute
	if fault == "silent" {
		limit = 3 * time.Second
	}
	end := time.Minute
	if fault == "deaf" {
		end = 2 * time.Second
	}
	o := Options{Command: []string{os.Args[0]}, Env: []string{fakeVariable + "=" + fault}, Limit: limit, EndLimit: end}
	return Run(t.Context(), Suite{Side: Server, Cases: []Case{c}}, o, func(Result) {})[0]
}

// TestStatus: a recommendation does not fail, and what a server lacks is skipped with the reason.
func TestStatus(t *testing.T) {
	t.Parallel()
	recommended := strings.Replace(fakeCase, "source: this test", "source: this test\nseverity: recommended", 1)
	if r := play1(t, recommended, "code"); r.Status != Unmet || r.Severity != "recommended" {
		t.Errorf("a recommendation that is not met is %s, %s", r.Status, r.Severity)
	}
	skips := strings.Replace(fakeCase, "! {\"id\":1}", "", 1)
	skips = strings.Replace(skips, `< {"id":1,"answer":"$answer"}`, "< {\"answer\":\"no\"}\n? {\"answer\":\"yes\"} it only says yes", 1)
	if r := play1(t, skips, ""); r.Status != Skipped || r.Reason != "it only says yes" {
		t.Errorf("%s: %s", r.Status, r.Reason)
	}
}

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		pattern, line string
		want          bool
	}{
		{`{"a":1}`, `{"b":2,"a":1}`, true},
		{`{"a":1}`, `{"a":"1"}`, false},
		{`{"a":{"b":"*"}}`, `{"a":{"b":null}}`, true},
		{`{"a":"x*"}`, `{"a":"xyz"}`, true},
		{`{"a":"x*"}`, `{"a":5}`, false},
		{`{"a":"*Y*"}`, `{"a":"xyz"}`, true},
		{`{"a":"!"}`, `{"b":1}`, true},
		{`{"a":"!"}`, `{"a":null}`, false},
		{`{"l":[2]}`, `{"l":[1,2,3]}`, true},
		{`{"l":[2,1]}`, `{"l":[1,2,3]}`, false},
		{`{"a":"$known"}`, `{"a":{"x":[1]}}`, true},
		{`{"a":"$known"}`, `{"a":{"x":[2]}}`, false},
		{`{"a":"$new","b":"$new"}`, `{"a":1,"b":1}`, true},
		{`{"a":"$new","b":"$new"}`, `{"a":1,"b":2}`, false},
		{`{"a":1}`, `{"a":2,"a":1}`, true}, // some servers repeat members
	} {
		known := binds{"known": map[string]any{"x": []any{1.0}}}
		value, err := decode(test.line)
		if err != nil {
			t.Fatal(err)
		}
		if _, _, ok := known.match(test.pattern, value); ok != test.want {
			t.Errorf("%s matches %s: %t", test.pattern, test.line, ok)
		}
	}
	// An element that matches in part leaves no name.
	value, _ := decode(`{"o":[{"id":"no","kind":"reject"},{"id":"yes","kind":"allow"}]}`)
	found, _, ok := binds{}.match(`{"o":[{"id":"$id","kind":"allow"}]}`, value)
	if !ok || found["id"] != "yes" {
		t.Errorf("the name is %v", found["id"])
	}
	if line, err := found.expand(`{"choice":"$id","text":"it is $id"}`); err != nil || line != `{"choice":"yes","text":"it is yes"}` {
		t.Errorf("%s, %v", line, err)
	}
	if _, err := found.expand(`{"a":"$other"}`); err == nil {
		t.Error("a name without a value is sent")
	}
}

// TestCases: every case of the program can be read, and says where its demand is from.
func TestCases(t *testing.T) {
	t.Parallel()
	for _, side := range []Side{Server, Client} {
		for _, dialect := range Dialects(side) {
			s, err := Load(dialect, side)
			if err != nil {
				t.Error(err)
			}
			for _, c := range s.Cases {
				if c.Recommended != strings.HasPrefix(c.Source, "not in the documentation: ") && !strings.HasPrefix(c.Source, "agentclientprotocol.com") && !strings.HasPrefix(c.Source, "JSON-RPC") {
					t.Errorf("%s %s %s: recommended is %t, and the source %q", dialect, side, c.Name, c.Recommended, c.Source)
				}
			}
		}
	}
	if got := len(Dialects(Server)); got != 8 {
		t.Errorf("%d protocols have cases for servers", got)
	}
	s, err := Load("native", Server)
	if err != nil {
		t.Fatal(err)
	}
	if s, err := s.Select([]string{"eof-*", "turn"}); err != nil || len(s.Cases) != 4 {
		t.Errorf("%d cases are selected, %v", len(s.Cases), err)
	}
	if _, err := s.Select([]string{"nothing"}); err == nil {
		t.Error("a pattern that matches no case is taken")
	}
	for text, want := range map[string]string{
		"Title.\n-- wire --\neof\n":                            "a case needs a title and a source",
		"T.\nsource: x\n-- wire --\n":                          "the dialogue is empty",
		"T.\nsource: x\n-- wire --\n< {\n":                     "not JSON",
		"T.\nsource: x\n-- wire --\n& {}\n":                    "no expected line above it",
		"T.\nsource: x\n-- wire --\n< {}\n? {}\n":              "nothing follows the pattern",
		"T.\nsource: x\n-- wire --\nfrobnicate\n":              "unknown verb",
		"T.\nsource: x\n-- wire --\ndo hello\n":                `no section "hello"`,
		"T.\nsource: x\n-- model --\nsay x\n-- wire --\neof\n": "unexpected line of the model",
	} {
		if _, err := parse("x", []byte(text), nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestTools: a command is called by the tool that the program offers, on each wire.
func TestTools(t *testing.T) {
	t.Parallel()
	for request, want := range map[string]string{
		`[{"type":"function","name":"exec_command","parameters":{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}}]`:                                                            `exec_command {"cmd":"ls"}`,
		`[{"type":"function","function":{"name":"bash","parameters":{"properties":{"command":{"type":"string"},"description":{"type":"string"}},"required":["command","description"]}}}]`: `bash {"command":"ls","description":"Run the command"}`,
		`[{"name":"read","input_schema":{}},{"name":"Bash","input_schema":{"properties":{"command":{"type":"string"}}}}]`:                                                                 `Bash {"command":"ls"}`,
		`[{"type":"function","name":"shell","parameters":{"properties":{"command":{"type":"array"}}}}]`:                                                                                   `shell {"command":["bash","-lc","ls"]}`,
		`[{"type":"function","name":"read","parameters":{}}]`:                                                                                                                             "no tool that it offers to its model is known to run commands: read",
		`[]`: "it offers no tools to its model",
	} {
		var tools []modelTool
		if err := json.Unmarshal([]byte(request), &tools); err != nil {
			t.Fatal(err)
		}
		name, arguments, err := runs(tools, "ls")
		got := name + " " + arguments
		if err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%s\n%s", got, want)
		}
	}
}

// The elements of JUnit XML.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suites  junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Time    string        `xml:"time,attr"`
		Failure *junitMessage `xml:"failure"`
		Skipped *junitMessage `xml:"skipped"`
		Stderr  string        `xml:"system-err,omitempty"`
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// TestXMLText: texts come back as they were, but for what XML cannot have.
func TestXMLText(t *testing.T) {
	for text, want := range map[string]string{
		"a\t\"b\" <c>\r\n&amp; 'd' é €": "a\t\"b\" <c>\r\n&amp; 'd' é €",
		"\x00\x1b[1m\xff\uffff":         "\ufffd\ufffd[1m\ufffd\ufffd",
	} {
		var read struct {
			Message string `xml:"message,attr"`
			Text    string `xml:",chardata"`
		}
		if err := xml.Unmarshal([]byte(`<x message="`+xmlText(text)+`">`+xmlText(text)+`</x>`), &read); err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if read.Message != want || read.Text != want {
			t.Errorf("%q is read as %q and %q", text, read.Message, read.Text)
		}
	}
}

// TestReport: a failure is a failure in JUnit, and a recommendation a skipped test.
func TestReport(t *testing.T) {
	t.Parallel()
	results := []Result{
		{Name: "a", Title: "A", Status: Passed},
		{Name: "b", Title: "B", Status: Failed, Reason: "want <x>\nmore", Source: "s", Severity: "required", Dialogue: []string{`> {"a":"<&"}`}, Stderr: []string{"oops"}},
		{Name: "c", Title: "C", Status: Unmet, Reason: "late"},
		{Name: "d", Title: "D", Status: Skipped, Reason: "no tools"},
	}
	report := NewReport(Suite{Dialect: "x", Side: Server}, Options{Command: []string{"p"}}, results, time.Second)
	var text, junit strings.Builder
	if err := report.WriteDetails(&text, false); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"FAILED b: B\n  required: s\n  want <x>\n  more\n  dialogue:\n    > {\"a\":\"<&\"}\n  stderr:\n    oops\n", "unmet c: C", "1 passed, 1 failed, 1 recommended and unmet, 1 skipped in 1.0 s"} {
		if !strings.Contains(text.String(), part) {
			t.Errorf("%q is missing in\n%s", part, text.String())
		}
	}
	if err := report.WriteJUnit(&junit); err != nil {
		t.Fatal(err)
	}
	var read junitSuites
	if err := xml.Unmarshal([]byte(junit.String()), &read); err != nil {
		t.Fatal(err)
	}
	if s := read.Suites; s.Name != "parley conform x server" || s.Time != "1.000" || s.Cases[1].Name != "b: B" || s.Cases[1].Failure.Message != "want <x>" ||
		s.Cases[1].Failure.Text != "s\nwant <x>\nmore\n> {\"a\":\"<&\"}" || s.Cases[2].Skipped.Message != "recommended, not met: late" || s.Cases[3].Skipped.Message != "no tools" {
		t.Errorf("%s", junit.String())
	}
	s := read.Suites
	if s.Tests != 4 || s.Failures != 1 || s.Skipped != 2 || s.Cases[1].Failure == nil || s.Cases[1].Stderr != "oops" || s.Cases[2].Skipped == nil || s.Cases[0].Failure != nil {
		t.Errorf("%s", junit.String())
	}
}
