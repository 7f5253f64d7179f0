package flint

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/wire"
)

// readMember decodes a value on its own, as a member of some params.
func readMember[T any](t *testing.T, text string) (T, error) {
	t.Helper()
	obj, err := wire.ParseObject([]byte(`{"member":`+text+`}`), frames.Object)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var params struct {
		Member T `json:"member"`
	}
	err = obj.Decode(&params)
	return params.Member, err
}

func TestApprovalPolicyWords(t *testing.T) {
	for word, want := range map[string]ApprovalPolicy{
		"never": PolicyNever, "unlessTrusted": PolicyUnlessTrusted, "always": PolicyAlways,
		"untrusted": PolicyUnlessTrusted, "on-request": PolicyOnRequest, "on-failure": PolicyOnRequest,
		"Never": "", "on_request": "", "": "", "granular": "",
	} {
		got, err := readMember[ApprovalPolicy](t, quoted(word))
		if got != want || (err == nil) != (want != "") {
			t.Errorf("%q: got %q, %v", word, got, err)
		}
	}
}

func TestSandboxForms(t *testing.T) {
	for _, test := range []struct {
		in, out string
		network bool
	}{
		{`"dangerFullAccess"`, `{"type":"dangerFullAccess"}`, true},
		{`"danger-full-access"`, `{"type":"dangerFullAccess"}`, true},
		{`"readOnly"`, `{"type":"readOnly"}`, false},
		{`"read-only"`, `{"type":"readOnly"}`, false},
		{`"workspaceWrite"`, `{"type":"workspaceWrite","networkAccess":false}`, false},
		{`"workspace-write"`, `{"type":"workspaceWrite","networkAccess":false}`, false},
		{`"externalSandbox"`, `{"type":"externalSandbox","networkAccess":"restricted"}`, false},
		{`"external-sandbox"`, `{"type":"externalSandbox","networkAccess":"restricted"}`, false},
		{`{"type":"workspace-write"}`, `{"type":"workspaceWrite","networkAccess":false}`, false},
		{`{"type":"workspaceWrite","networkAccess":true,"writableRoots":["/a","/b"]}`, `{"type":"workspaceWrite","writableRoots":["/a","/b"],"networkAccess":true}`, true},
		{`{"type":"workspaceWrite","networkAccess":null,"writableRoots":null}`, `{"type":"workspaceWrite","networkAccess":false}`, false},
		{`{"type":"externalSandbox","networkAccess":"enabled"}`, `{"type":"externalSandbox","networkAccess":"enabled"}`, true},
		{`{"type":"readOnly","networkAccess":true,"writableRoots":["/a"]}`, `{"type":"readOnly"}`, false},
		{`{"type":"dangerFullAccess","networkAccess":"restricted","_meta":{}}`, `{"type":"dangerFullAccess"}`, true},
	} {
		got, err := readMember[SandboxPolicy](t, test.in)
		if err != nil {
			t.Errorf("%s: %v", test.in, err)
			continue
		}
		out, err := json.Marshal(got)
		if err != nil || string(out) != test.out || got.network() != test.network {
			t.Errorf("%s: got %s, network %v (%v), want %s, %v", test.in, out, got.network(), err, test.out, test.network)
		}
	}
}

// What the client sent comes back as it was sent, unknown members aside.
func TestUserInputComesBack(t *testing.T) {
	for in, out := range map[string]string{
		`[{"type":"text","text":"  a\n"}]`:                                          `[{"type":"text","text":"  a\n"}]`,
		`[{"text":"","type":"text","text_elements":[]},{"type":"text","text":"b"}]`: `[{"type":"text","text":""},{"type":"text","text":"b"}]`,
		`[{"type":"text","text":"a","_meta":{"source":[1, null]}}]`:                 `[{"type":"text","text":"a","_meta":{"source":[1,null]}}]`,
		`[{"type":"image","url":"https://example.org/a.png","_meta":null}]`:         `[{"type":"image","url":"https://example.org/a.png"}]`,
		`[{"type":"localImage","path":"/a b.png","_meta":7}]`:                       `[{"type":"localImage","path":"/a b.png","_meta":7}]`,
	} {
		got, err := readMember[UserInputs](t, in)
		if err != nil {
			t.Errorf("%s: %v", in, err)
			continue
		}
		if text, err := json.Marshal(got); err != nil || string(text) != out {
			t.Errorf("%s: got %s, %v", in, text, err)
		}
	}
}

func TestImageURLs(t *testing.T) {
	for url, want := range map[string]bool{
		"https://example.org/a.png":             true,
		"HTTPS://example.org":                   true,
		"data:image/png;base64,QUJD":            true,
		"data:image/svg+xml;base64,QUI=":        true,
		"DATA:Image/PNG;BASE64,QUJD":            true,
		"data:image/png;x=y;base64,QUJD":        true,
		"http://example.org/a.png":              false,
		"https://":                              false,
		"https:a.png":                           false,
		"file:///a.png":                         false,
		"/a.png":                                false,
		"":                                      false,
		"data:image/png,QUJD":                   false,
		"data:image/png;base64,":                false,
		"data:image/png;base64,QUJ":             false,
		"data:image/png;base64,QU!D":            false,
		"data:text/plain;base64,QUJD":           false,
		"data:;base64,QUJD":                     false,
		"data:image/png;base64,QUJD" + "=QUJD":  false,
		"javascript:alert(1)":                   false,
		"https://example.org/\u0000":            false,
		"data:image/png;base64" + "," + "QUJD ": false,
	} {
		if _, err := readMember[UserInputs](t, `[{"type":"image","url":`+quoted(url)+`}]`); (err == nil) != want {
			t.Errorf("%q: got %v", url, err)
		}
	}
}

func TestMcpServers(t *testing.T) {
	for _, test := range []struct {
		name, params string
		want         map[string]McpServer
		err          string
	}{
		{
			"stdio", `"mcpServers":{"a":{"type":"stdio","command":"c","args":["x"],"env":{"K":"v","N":null},"cwd":"sub"}}`,
			map[string]McpServer{"a": {Type: "stdio", Command: "c", Args: []string{"x"}, Env: map[string]string{"K": "v"}, Cwd: "sub"}},
			"",
		},
		{"type from command", `"mcpServers":{"a":{"command":"c","url":"https://h"}}`, map[string]McpServer{"a": {Type: "stdio", Command: "c", URL: "https://h"}}, ""},
		{"type from url", `"mcpServers":{"a":{"url":"http://h/mcp","headers":{"A":"b"}}}`, map[string]McpServer{"a": {Type: "http", URL: "http://h/mcp", Headers: map[string]string{"A": "b"}}}, ""},
		{"streamable", `"mcpServers":{"a":{"type":"streamable_http","url":"https://h"}}`, map[string]McpServer{"a": {Type: "http", URL: "https://h"}}, ""},
		{"other name of headers", `"mcpServers":{"a":{"url":"https://h","http_headers":{"A":"b"}}}`, map[string]McpServer{"a": {Type: "http", URL: "https://h", Headers: map[string]string{"A": "b"}}}, ""},
		{
			"dots", `"config":{"mcp_servers.a.command":"c","mcp_servers.a.env.K":"v","mcp_servers.a.env.L.M":"w","mcp_servers.b.url":"https://h","mcp_servers.b.http_headers":{"A":"b"}}`,
			map[string]McpServer{"a": {Type: "stdio", Command: "c", Env: map[string]string{"K": "v", "L.M": "w"}}, "b": {Type: "http", URL: "https://h", Headers: map[string]string{"A": "b"}}},
			"",
		},
		{"nested", `"config":{"mcp_servers":{"a":{"command":"c","env":{"K":"v"},"enabled":[true]}}}`, map[string]McpServer{"a": {Type: "stdio", Command: "c", Env: map[string]string{"K": "v"}}}, ""},
		{
			"in pieces", `"config":{"mcp_servers":{"a":{"command":"c"}},"mcp_servers.a":{"env":{"K":"v"}},"mcp_servers.a.env.L":"w","mcp_servers.a.args":["x"]}`,
			map[string]McpServer{"a": {Type: "stdio", Command: "c", Args: []string{"x"}, Env: map[string]string{"K": "v", "L": "w"}}},
			"",
		},
		{"the later piece wins", `"config":{"mcp_servers":{"a":{"command":"c"}},"mcp_servers.a.command":"d"}`, map[string]McpServer{"a": {Type: "stdio", Command: "d"}}, ""},
		{
			"mcpServers wins", `"mcpServers":{"a":{"command":"c"}},"config":{"mcp_servers.a.command":"d","mcp_servers.b.command":"e"}`,
			map[string]McpServer{"a": {Type: "stdio", Command: "c"}, "b": {Type: "stdio", Command: "e"}},
			"",
		},
		{"none", `"mcpServers":{},"config":{"mcp_servers":{}}`, map[string]McpServer{}, ""},
		{"nothing", `"mcpServers":null,"config":{"mcp_servers":null}`, nil, ""},

		{"no way to reach it", `"mcpServers":{"a":{}}`, nil, "mcpServers.a needs a command or a url"},
		{"other type", `"mcpServers":{"a":{"type":"sse","url":"https://h"}}`, nil, `mcpServers.a.type must be "stdio", "http" or "streamable_http"`},
		{"no command", `"mcpServers":{"a":{"type":"stdio","url":"https://h"}}`, nil, "mcpServers.a.command is required"},
		{"no url", `"mcpServers":{"a":{"type":"http","command":"c"}}`, nil, "mcpServers.a.url is required"},
		{"odd url", `"mcpServers":{"a":{"url":"ws://h"}}`, nil, "mcpServers.a.url must be an http or https URL"},
		{"null server is none", `"mcpServers":{"a":null}`, map[string]McpServer{}, ""},
		{"array", `"mcpServers":[]`, nil, "mcpServers must be an object"},
		{"wrong type", `"mcpServers":{"a":{"command":"c","env":{"K":1}}}`, nil, "mcpServers.a.env.K must be a string"},
		{"dots, wrong type", `"config":{"mcp_servers.a.command":1}`, nil, "config.mcp_servers.a.command must be a string"},
		{"dots, no command", `"config":{"mcp_servers.a.args":[]}`, nil, "config.mcp_servers.a needs a command or a url"},
		{"not an object", `"config":{"mcp_servers":7}`, nil, "config.mcp_servers must be an object"},
		{"not an object, then a piece", `"config":{"mcp_servers.a":7,"mcp_servers.a.command":"c"}`, nil, "config.mcp_servers.a must be an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			message, refused := decode([]byte(`{"id":1,"method":"thread/start","params":{` + test.params + `}}`))
			if refused != nil {
				if refused.err.Message != "Invalid params: "+test.err {
					t.Errorf("got %s", refused.err.Message)
				}
				return
			}
			p := message.(request).params.(*ThreadStartParams)
			if diff := cmp.Diff(test.want, p.McpServers); diff != "" || test.err != "" || p.Config.McpServers != nil {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Other members of a config are stored for packages that know the options.
func TestThreadConfigValues(t *testing.T) {
	got, err := readMember[ThreadConfig](t, `{"reasoning_effort":"high","tools.web":true,"mcp_servers_x":1,"gone":null}`)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]jsontext.Value{"reasoning_effort": jsontext.Value(`"high"`), "tools.web": jsontext.Value("true"), "mcp_servers_x": jsontext.Value("1")}
	if diff := cmp.Diff(want, got.Values); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestThreadIDs(t *testing.T) {
	for id, want := range map[string]bool{
		"0198c0de-0000-7000-8000-000000000001": true, "T1": true, "a_b-C": true, "-": true,
		"": false, ".": false, "..": false, "a/b": false, "a\\b": false, "a.b": false, "ä": false, "a\x00": false, " ": false,
		strings.Repeat("a", 128): true, strings.Repeat("a", 129): false,
	} {
		if isThreadID(id) != want {
			t.Errorf("%q: want %v", id, want)
		}
	}
}
