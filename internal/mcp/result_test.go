package mcp

import (
	"context"
	"io"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/sandbox"
	"parley.dev/parley/internal/tool"
)

func TestResults(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	for _, test := range []struct {
		tool, input string
		want        tool.Result
	}{
		{"echo", `{"text":"<a>"}`, tool.Result{Text: "<a>", Reply: jsontext.Value(`{"content":[{"type":"text","text":"<a>"}]}`)}},
		{"add", `{"A":1,"B":2}`, tool.Result{Text: `{"sum":3}`, Reply: jsontext.Value(`{"content":[{"type":"text","text":"{\"sum\":3}"}],"structuredContent":{"sum":3}}`)}},
		{"structured", `{}`, tool.Result{Text: `{"a":"x","b":1}`, Reply: jsontext.Value(`{"content":[],"structuredContent":{"a":"x","b":1}}`)}},
		{"fail", `{}`, tool.Result{
			Text: "it is broken\nfor good", IsError: true,
			Reply: jsontext.Value(`{"content":[{"type":"text","text":"it is broken"},{"type":"text","text":"for good"}],"isError":true}`),
		}},
		{"refuse", `{}`, tool.Failed("the tool server srv refused the call of refuse: no such thing as [hidden] (code -32042); it adds: {\"url\":\"https://x/y\"}")},
	} {
		if diff := cmp.Diff(test.want, v.run(test.tool, test.input)); diff != "" {
			t.Errorf("%s: %s", test.tool, diff)
		}
	}
}

func TestResultThatIsNotText(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	r := v.run("image", `{}`)
	want := "look\n[image image/svg+xml, 6 bytes: not shown]\n[audio audio/wav, 4 bytes: not shown]\n[resource file:///a, a, text/plain]\nwithin\n[resource application/zip file:///c, 2 bytes: not shown]"
	if r.Text != want {
		t.Errorf("%q", r.Text)
	}
	if diff := cmp.Diff([]model.Image{{MIME: "image/png", Data: pixel}}, r.Images); diff != "" {
		t.Error(diff)
	}
	for _, part := range []string{`"type":"image"`, `"mimeType":"audio/wav"`, `"uri":"file:///b"`} {
		if !strings.Contains(string(r.Reply), part) {
			t.Errorf("the reply lacks %s", part)
		}
	}
}

func TestLargeResult(t *testing.T) {
	v := newBench(t, nil).visit(server(t, "sdk"))
	r := v.run("large", `{}`) // 10 MiB
	if len(r.Text) > tool.MaxText || !utf8.ValidString(r.Text) || !strings.Contains(r.Text, "bytes omitted …]") {
		t.Errorf("%d bytes", len(r.Text))
	}
	if len(r.Full) != 10<<20 {
		t.Errorf("full: %d bytes", len(r.Full))
	}
	var reply struct {
		Content []struct{ Type, Text string }
	}
	if err := json.Unmarshal(r.Reply, &reply, json.MatchCaseInsensitiveNames(true)); err != nil || len(reply.Content) != 1 || reply.Content[0].Text != r.Text {
		t.Errorf("%v, reply of %d bytes", err, len(r.Reply))
	}
}

// TestImagesHaveALimit: what would not fit is described.
func TestImagesHaveALimit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	large := append([]byte{}, pixel...)
	large = append(large, make([]byte, maxImage-len(pixel))...)
	r := resultOf(&sdk.CallToolResult{Content: []sdk.Content{
		&sdk.ImageContent{Data: large, MIMEType: "image/jpeg"}, &sdk.ImageContent{Data: pixel, MIMEType: "image/png"},
	}}, newHider(config{}), "")
	if len(r.Images) != 1 || r.Images[0].MIME != "image/png" || r.Text != "[image image/png, 69 bytes: not shown]" {
		t.Errorf("%d images, %q", len(r.Images), r.Text)
	}
}

func TestNames(t *testing.T) {
	for _, test := range []struct{ server, tool, want string }{
		{"a", "b", "mcp__a__b"},
		{"a.b", "c d/ü", "mcp__a_b__c_d__"},
		{"s", strings.Repeat("t", 56), "mcp__s__" + strings.Repeat("t", 56)},
		{"s", strings.Repeat("t", 57), "mcp__s__" + strings.Repeat("t", 47) + "_"},
	} {
		got := nameOf(test.server, test.tool)
		if !strings.HasPrefix(got, test.want) || len(got) > maxName || len(test.want) < 55 && got != test.want {
			t.Errorf("%s: %q", test.tool, got)
		}
	}
	offers := func(names ...string) []*remote {
		var rs []*remote
		for _, n := range names {
			rs = append(rs, &remote{user: &user{name: "s"}, offer: offer{name: n, shown: n}})
		}
		nameAll(rs)
		return rs
	}
	a, b := offers("x.y", "x_y", "z"), offers("z", "x_y", "x.y")
	if a[0].name == a[1].name || a[0].name != b[2].name || a[1].name != b[1].name || a[2].name != "mcp__s__z" {
		t.Errorf("%s %s %s", a[0].name, a[1].name, a[2].name)
	}
}

func TestSchemas(t *testing.T) {
	for _, test := range []struct {
		from any
		want string
	}{
		{nil, anyObject},
		{"no schema", anyObject},
		{map[string]any{"properties": map[string]any{}}, `{"properties":{},"type":"object"}`},
		{map[string]any{"type": []any{"object", "null"}}, anyObject},
		{map[string]any{"type": "object", "$ref": "https://example.com/x"}, anyObject},
		{map[string]any{"type": "object", "properties": 3.0}, anyObject},
		{map[string]any{"type": "object", "description": strings.Repeat("x", maxSchema)}, anyObject},
	} {
		if got := offerOf(&sdk.Tool{Name: "t", InputSchema: test.from}, newHider(config{})); string(got.schema) != test.want || len(got.description) > 2*maxDescription {
			t.Errorf("%v: %s", test.from, got.schema)
		}
	}
}

// FuzzParseLine: whatever a program writes, reading it is an answer or an error.
func FuzzParseLine(f *testing.F) {
	for _, seed := range []string{"", "hello", "{}", `{"jsonrpc":"2.0","id":1,"result":{}}`, `[{"jsonrpc":"2.0","method":"x"},{"a":1}]`, `{"jsonrpc":"2.0"`, "[info] x", `{"jsonrpc":"2.0","id":[]}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		messages, err := parseLine(line)
		if err != nil && messages != nil {
			t.Error("both messages and an error")
		}
		for _, m := range messages {
			if m == nil {
				t.Error("a message is nil")
			}
		}
	})
}

// FuzzClipMiddle: the text stays valid and within its limit.
func FuzzClipMiddle(f *testing.F) {
	f.Add("short", 100)
	f.Add(strings.Repeat("aä€😀", 100), 99)
	f.Fuzz(func(t *testing.T, text string, limit int) {
		if !utf8.ValidString(text) || limit < 64 || limit > 1<<20 {
			return
		}
		if got := clipMiddle(text, limit); len(got) > limit || !utf8.ValidString(got) || len(text) <= limit && got != text {
			t.Errorf("%d bytes, limit %d: %q", len(got), limit, got)
		}
		if got := brief(text, limit); len(got) > limit || !utf8.ValidString(got) {
			t.Errorf("%q", got)
		}
	})
}

// TestHider: secrets go, what is short enough to stand anywhere stays.
func TestHider(t *testing.T) {
	h := newHider(config{
		URL: "https://user:pass-word@host/path?key=abcdef%20g&x=1", Env: map[string]string{"A": "longer-secret", "B": "1", "C": "longer-secret-still"},
		Headers: map[string]string{"Authorization": "Bearer credential"},
	})
	for text, want := range map[string]string{
		`Post "https://host/path?key=abcdef%20g&x=1": no`: `Post "https://host/path?[hidden]": no`,
		"abcdef g, longer-secret-still, 1":                "[hidden], [hidden], 1",
		"Bearer credential; credential; user:pass-word":   "[hidden]; [hidden]; [hidden]",
	} {
		if got := h.text(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}

// TestResultsHideSecrets: what a server sends for models and clients has none of its secrets: not in
// texts, structured content, resources, member names, descriptions, schemas or names.
func TestResultsHideSecrets(t *testing.T) {
	const secret = `tok-"CANARY"-99`
	h := newHider(config{Env: map[string]string{"SRV_TOKEN": secret, "ROOT": "/home/u/project"}})
	r := resultOf(&sdk.CallToolResult{
		Content: []sdk.Content{
			&sdk.TextContent{Text: "the token is " + secret + " in /home/u/project"},
			&sdk.ResourceLink{URI: "x:" + secret, Name: secret, Description: secret},
			&sdk.EmbeddedResource{Resource: &sdk.ResourceContents{URI: "x:y", Text: secret}},
			&sdk.ImageContent{Data: pixel, MIMEType: "image/png", Meta: sdk.Meta{"note": secret}},
		},
		StructuredContent: map[string]any{secret: []any{secret, 1.5, nil, map[string]any{"deep": "x" + secret}}},
	}, h, "")
	structured := resultOf(&sdk.CallToolResult{StructuredContent: map[string]any{"a": secret}}, h, "")
	o := offerOf(&sdk.Tool{Name: "t", Description: "uses " + secret, InputSchema: map[string]any{"properties": map[string]any{"a": map[string]any{"default": secret}}}}, h)
	for _, text := range []string{r.Text, string(r.Reply), structured.Text, string(structured.Reply), o.description, string(o.schema), o.shown} {
		if strings.Contains(text, "CANARY") {
			t.Errorf("the secret stands in %s", text)
		}
	}
	if !strings.Contains(r.Text, "the token is [hidden] in /home/u/project") {
		t.Errorf("more is hidden than secrets: %s", r.Text)
	}
	if want := `"structuredContent":{"[hidden]":["[hidden]",1.5,null,{"deep":"x[hidden]"}]}`; !strings.Contains(string(r.Reply), want) {
		t.Errorf("%s, want %s in it", r.Reply, want)
	}
}

// TestWriteIsGivenUp: a write to a server that does not read blocks neither the caller nor Close.
func TestWriteIsGivenUp(t *testing.T) {
	in, _ := io.Pipe()
	unread, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer unread.Close()
	l := newLines(in, out, sandbox.NewLineWriter(func(line string) string { return line }))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	large := &jsonrpc.Request{Method: "x", Params: []byte(`"` + strings.Repeat("x", 1<<20) + `"`)}
	if err := l.Write(ctx, large); err == nil {
		t.Error("it was written")
	}
	_ = l.Close()
	if _, err := l.Read(t.Context()); err == nil {
		t.Error("something was read")
	}
}

// TestAdjust checks what is replaced in a message before the library reads it.
func TestAdjust(t *testing.T) {
	for _, test := range []struct{ from, want string }{
		{`{"id":1,"result":{"content":[{"type":"text","text":"a"}]}}`, ""},
		{
			`{"id":1,"result":{"content":[{"type":"image","data":"%%","mimeType":"image/png"},{"type":"text","text":"b"}]}}`,
			`{"id":1,"result":{"content":[{"type":"text","text":"[image image/png whose base64 is broken: not shown]"},{"type":"text","text":"b"}]}}`,
		},
		{
			`{"id":1,"result":{"content":[{"type":"note","text":"c"},null]}}`,
			`{"id":1,"result":{"content":[{"type":"text","text":"[content of the unknown kind \"note\": not shown]\nc"},{"type":"text","text":"[content of the unknown kind \"\": not shown]"}]}}`,
		},
		{
			`{"id":1,"result":{"content":[{"type":"resource","resource":{"uri":"x:y","blob":"%"}}]}}`,
			`{"id":1,"result":{"content":[{"type":"text","text":"[resource x:y that cannot be read: not shown]"}]}}`,
		},
		{
			`{"id":1,"result":{"tools":[{"name":"a","execution":{"taskSupport":"required"}},{"name":"b","execution":{"taskSupport":"optional"}}]}}`,
			`{"id":1,"result":{"tools":[{"name":"b","execution":{"taskSupport":"optional"}}]}}`,
		},
		{`{"content":`, ""},
		{`{"content":[{"type":"x"}]}`, ""},
	} {
		want := test.want
		if want == "" {
			want = test.from
		}
		got := adjust([]byte(test.from), "")
		if jsontext.Value(got).IsValid() {
			_ = (*jsontext.Value)(&got).Canonicalize()
		}
		wanted := []byte(want)
		if jsontext.Value(wanted).IsValid() {
			_ = (*jsontext.Value)(&wanted).Canonicalize()
		}
		if string(got) != string(wanted) {
			t.Errorf("%s:\n%s, want\n%s", test.from, got, wanted)
		}
		stream := "id: 1\nevent: message\ndata: " + test.from + "\n\n"
		read, err := io.ReadAll(newAdjustedBody(strings.NewReader(stream), true, ""))
		if err != nil || test.want == "" && string(read) != stream || !strings.HasSuffix(string(read), "\n\n") || !strings.HasPrefix(string(read), "id: 1\nevent: message\ndata: {") {
			t.Errorf("%q, %v", read, err)
		}
	}
}
