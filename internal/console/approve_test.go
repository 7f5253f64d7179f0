package console

import (
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
)

func TestDecision(t *testing.T) {
	for line, want := range map[string]*Decision{
		"y": {Allow: true}, " Yes ": {Allow: true}, "Y\r": {Allow: true},
		"a": {Allow: true, Session: true}, "ALL": {Allow: true, Session: true},
		"n": {}, "no": {}, "No.": {}, "n use git mv": {Reason: "use git mv"}, "no, use git mv": {Reason: "use git mv"}, "n: später": {Reason: "später"},
		"": nil, "maybe": nil, "nope": nil, "yy": nil, "y please": nil, "not now": nil, "p": nil,
	} {
		got, ok := Approval{Session: "x"}.decision(line)
		if ok != (want != nil) || ok && got != *want {
			t.Errorf("%q: %+v, %v", line, got, ok)
		}
	}
	if d, ok := (Approval{}).decision("a"); ok {
		t.Errorf("a session that is not offered: %+v", d)
	}
}

func TestFieldLines(t *testing.T) {
	for _, test := range []struct {
		input string
		want  []string
	}{
		{`{}`, nil},
		{`{"path":"a.txt","limit":30,"all":true,"none":null,"empty":""}`, []string{"path: a.txt", "limit: 30", "all: true", "none: null", `empty: ""`}},
		{`{"content":"one\n  two\n"}`, []string{"content:", "  one", "    two", "  "}},
		{`{"a":"x\u202e","b\nc":"\r"}`, []string{"a: x⟨U+202E⟩", "b␊c: ␍"}},
		{`{"tasks":[{"id":"a","run":["x","y\nz"]},[],{}],"n":[1,[2]]}`, []string{
			"tasks:", "  -", "    id: a", "    run:", "      - x", "      -", "        y", "        z", "  - []", "  - {}", "n:", "  - 1", "  -", "    - 2",
		}},
		{`{"a":1,"a":2}`, []string{"a: 1", "a: 2"}},
		{`["x"]`, []string{`["x"]`}},
		{"{\"a\":\n\x1b", []string{`{"a":`, "␛"}},
		{``, []string{""}},
	} {
		if got := fieldLines(jsontext.Value(test.input)); !slices.Equal(got, test.want) {
			t.Errorf("%s: %q, want %q", test.input, got, test.want)
		}
	}
	if got := fieldLines(jsontext.Value(`{"command":"x","timeout":3}`), "command"); !slices.Equal(got, []string{"timeout: 3"}) {
		t.Errorf("%q", got)
	}
}

// FuzzFieldLines checks that all text of an input is shown, and nothing that has an effect on a
// terminal.
func FuzzFieldLines(f *testing.F) {
	f.Add(`{"a":[{"b":"c\nd"},""],"e":null}`)
	f.Fuzz(func(t *testing.T, text string) {
		shown := strings.Join(fieldLines(jsontext.Value(text)), "\n")
		if strings.ContainsFunc(shown, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' || r == 0x202e }) {
			t.Errorf("%q", shown)
		}
		if quoted, err := jsontext.AppendQuote(nil, text); err == nil {
			shown := strings.Join(fieldLines(jsontext.Value(`{"x":`+string(quoted)+`}`)), "\n")
			for word := range strings.FieldsSeq(text) {
				if !strings.ContainsFunc(word, func(r rune) bool { return r <= ' ' || r > '~' }) && !strings.Contains(shown, word) {
					t.Errorf("%q is not in %q", word, shown)
				}
			}
		}
	})
}

func TestDivide(t *testing.T) {
	for _, test := range []struct {
		line string
		want []string
	}{
		{"", []string{""}},
		{"0123456789", []string{"0123456789"}},
		{"0123456789a", []string{"0123456789", "a"}},
		{"日本語日本語", []string{"日本語日本", "語"}},
		{"a\tb", []string{"a       b"}},
		{"123456789\tb", []string{"123456789", "       b"}},
	} {
		if got := divide(test.line, 10); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.line, got, test.want)
		}
	}
}

func TestApprovalBlocks(t *testing.T) {
	diff := "--- a/x\n+++ b/x\n" + strings.Repeat("+line\n", changeLines)
	for name, test := range map[string]struct {
		a     Approval
		limit int
		want  []block
	}{
		"command": {
			Approval{Command: "ls\ntouch x", Dir: "/w", Input: jsontext.Value(`{"command":"ls\ntouch x","timeout":3}`)},
			0,
			[]block{{title: "It runs this command in /w:", lines: []string{"ls", "touch x"}}, {title: "with:", lines: []string{"timeout: 3"}}},
		},
		"another command in the input": {
			Approval{Command: "ls", Input: jsontext.Value(`{"command":"rm"}`)},
			0,
			[]block{{title: "It runs this command:", lines: []string{"ls"}}, {title: "with:", lines: []string{"command: rm"}}},
		},
		"long change": {
			Approval{Files: []approval.FileEffect{{Op: "updated", Path: "x", Before: 1, After: 9, Added: 2000, Diff: diff}}},
			changeLines,
			[]block{{title: "x: existing file, 1 byte to 9 bytes, +2000 -0 lines; 2002 lines are not shown here", diff: true}},
		},
		"change without a diff": {
			Approval{Files: []approval.FileEffect{{Op: "created", Path: "x\x1b", After: 1}}, Input: jsontext.Value(`{"content":"y"}`)},
			0,
			[]block{{title: "x␛: new file, 1 byte", diff: true}, {title: "There is no diff of all of it; the call:", lines: []string{"content: y"}}},
		},
	} {
		got := test.a.blocks(test.limit)
		equal := slices.EqualFunc(got, test.want, func(a, b block) bool {
			return a.title == b.title && a.diff == b.diff && slices.Equal(a.lines, b.lines)
		})
		if !equal {
			t.Errorf("%s: %+v, want %+v", name, got, test.want)
		}
	}
}

func TestScope(t *testing.T) {
	for name, test := range map[string]struct {
		r    approval.Request
		want string // "": nothing is offered
		also []approval.Request
		not  []approval.Request
	}{
		"command": {
			approval.Request{Level: approval.Execute, Command: "ls *", Dir: "/w"},
			"this command in /w", nil,
			[]approval.Request{{Level: approval.Execute, Command: "ls x", Dir: "/w"}, {Level: approval.Execute, Command: "ls *", Dir: "/v"}},
		},
		"command in no known folder": {approval.Request{Level: approval.Execute, Command: "ls"}, "", nil, nil},
		"file": {
			approval.Request{Level: approval.Write, Paths: []approval.Path{{Path: "/w/a", Write: true}}},
			"changes of files in /w",
			[]approval.Request{{Level: approval.Write, Paths: []approval.Path{{Path: "/w/b/c", Write: true}}}},
			[]approval.Request{
				{Level: approval.Write, Paths: []approval.Path{{Path: "/v", Write: true, Outside: true}}},
				{Level: approval.Execute, Command: "ls", Dir: "/w"},
			},
		},
		"file outside": {
			approval.Request{Level: approval.Write, Paths: []approval.Path{{Path: "/v/a", Write: true, Outside: true}}},
			"this file", nil,
			[]approval.Request{{Level: approval.Write, Paths: []approval.Path{{Path: "/v/b", Write: true, Outside: true}}}},
		},
		"reading": {
			approval.Request{Level: approval.Read, Paths: []approval.Path{{Path: "/w/a"}}},
			"reading files in /w", nil,
			[]approval.Request{{Level: approval.Write, Paths: []approval.Path{{Path: "/w/a", Write: true}}}},
		},
		"reading what is protected": {approval.Request{Level: approval.Read, Paths: []approval.Path{{Path: "/s", Outside: true, Protected: true}}}, "", nil, nil},
		"request": {
			approval.Request{Level: approval.Execute, URL: "https://a.test/x"},
			"requests to a.test",
			[]approval.Request{{Level: approval.Execute, URL: "https://a.test/y"}},
			[]approval.Request{{Level: approval.Execute, URL: "https://b.test/x"}, {Level: approval.Execute, URL: "https://a.test:8080/x"}},
		},
		"tool of a server": {
			approval.Request{Level: approval.Execute, Server: "s", Tool: "t", Summary: "t 1"},
			"calls of t",
			[]approval.Request{{Level: approval.Execute, Server: "s", Tool: "t", Summary: "t 2"}},
			[]approval.Request{{Level: approval.Execute, Server: "s", Tool: "u", Summary: "u"}},
		},
		"nothing to scope it by": {approval.Request{Level: approval.Execute, Tool: "t"}, "", nil, nil},
	} {
		s, ok := scopeOf(test.r, "/w")
		if ok != (test.want != "") || ok && s.text != test.want {
			t.Errorf("%s: %q, %v", name, s.text, ok)
			continue
		}
		if !ok {
			continue
		}
		var grants approval.GrantSet
		if s.exactly {
			grants.Add(test.r)
		} else if _, err := grants.AddGrant(s.grant); err != nil {
			t.Fatal(err)
		}
		for _, r := range test.also {
			if !grants.Covers(r) {
				t.Errorf("%s: %+v is not covered", name, r)
			}
		}
		for _, r := range test.not {
			if grants.Covers(r) {
				t.Errorf("%s: %+v is covered", name, r)
			}
		}
	}
}

func TestChoice(t *testing.T) {
	options := []event.Option{{Label: "red"}, {Label: "blue"}}
	for _, test := range []struct {
		q    event.Question
		line string
		want []string // nil: asked again
	}{
		{event.Question{}, " any text ", []string{"any text"}},
		{event.Question{}, "2", []string{"2"}},
		{event.Question{}, " ", nil},
		{event.Question{Options: options}, "2", []string{"blue"}},
		{event.Question{Options: options}, "3", nil},
		{event.Question{Options: options}, "green", []string{"green"}},
		{event.Question{Options: options}, "1 2", []string{"1 2"}},
		{event.Question{Options: options, Multi: true}, "1, 2", []string{"red", "blue"}},
		{event.Question{Options: options, Multi: true}, "1 and 2", []string{"1 and 2"}},
	} {
		got, problem := choice(test.q, test.line)
		if (problem == "") != (test.want != nil) || !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, %q", test.line, got, problem)
		}
	}
}
