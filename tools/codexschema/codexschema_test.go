package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
)

// TestKindOf has a row for each form that a definition has in Go.
func TestKindOf(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want kind
	}{
		"anything":       {`true`, kindRaw},
		"string":         {`{"type":"string"}`, kindPlain},
		"list":           {`{"type":"array","items":{"type":"string"}}`, kindPlain},
		"words":          {`{"type":"string","enum":["a","b"]}`, kindEnum},
		"word by word":   {`{"oneOf":[{"type":"string","enum":["a"]},{"type":"string","enum":["b"]}]}`, kindEnum},
		"object":         {`{"type":"object","properties":{"a":{"type":"string"}}}`, kindStruct},
		"tagged":         {`{"oneOf":[{"type":"object","properties":{"type":{"type":"string","enum":["a"]}}},{"type":"object","properties":{"type":{"type":"string","enum":["b"]}}}]}`, kindTagged},
		"word or object": {`{"oneOf":[{"type":"string","enum":["a"]},{"type":"object","properties":{"b":{"type":"string"}},"required":["b"]}]}`, kindWord},
		"text or list":   {`{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}`, kindRaw},
	} {
		var s schema
		if err := json.Unmarshal([]byte(test.text), &s); err != nil {
			t.Fatal(err)
		}
		if got := kindOf(&s); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestGoName(t *testing.T) {
	for name, want := range map[string]string{
		"threadId": "ThreadID", "mcp_servers": "MCPServers", "read-only": "ReadOnly", "openai/form": "OpenaiForm", "codexHome": "CodexHome", "UserMessageThreadItem": "UserMessageThreadItem",
	} {
		if got := goName(name); got != want {
			t.Errorf("%s is %s, want %s", name, got, want)
		}
	}
	if uniqueName("input_text") == uniqueName("inputText") {
		t.Error("two words have one name")
	}
}

func TestDrift(t *testing.T) {
	got := drift([]string{"a", "b", "d"}, []string{"b", "c", "d"})
	if want := []string{"- a", "+ c"}; !slices.Equal(got, want) {
		t.Errorf("drift is %q, want %q", got, want)
	}
}

// TestNullMembers has a declaration for each form in which a member may be null.
func TestNullMembers(t *testing.T) {
	for name, test := range map[string]struct {
		source string
		want   map[string][]string
	}{
		"required":      {`export type A = { a: string, b: string | null, };`, map[string][]string{"A": {"b"}}},
		"optional":      {`export type A = { a?: string | null, b?: string };`, nil},
		"with comments": {"export type A = {a: string | null, /**\n * b: it's null, or absent\n */\nb?: B<C | null> };", map[string][]string{"A": {"a"}}},
		"union":         {`export type A = { "type": "x", b: B | null } | { id: string, "kind": "y", c: Array<C> | null } | "z";`, map[string][]string{"A:x": {"b"}, "A:y": {"c"}}},
		"below":         {`export type A = "x" | { "y": { code: number | null } };`, map[string][]string{"A.y": {"code"}}},
		"in a list":     {`export type A = { list: Array<{ code: number | null }> };`, map[string][]string{"A.list[]": {"code"}}},
		"any names":     {`export type A = { a: string | null } & ({ [key in string]?: number | null });`, map[string][]string{"A": {"a"}}},
		"in brackets":   {`export type A = { a: (string | null), b: [string, null][], c: null[] };`, map[string][]string{"A": {"a"}}},
		"two":           {`import type { B } from "B"; export type A = { b: B | null }; export type B = { c: C | null };`, map[string][]string{"A": {"b"}, "B": {"c"}}},
		"replaced":      {`export type A = { b: B | null }; export type A = { c: C };`, nil},
		"cut":           {`export type A = { b: B | null`, map[string][]string{"A": {"b"}}},
	} {
		if got := nullMembers(test.source); !maps.EqualFunc(got, test.want, slices.Equal) {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestChapterOf(t *testing.T) {
	for method, want := range map[string]string{
		"initialize": "initialize", "thread/start": "thread_start", "thread/started": "thread", "thread/goal/set": "thread_goal", "item/tool/call": "item_tool", "fuzzyFileSearch": "fuzzy_file_search",
		"account/rateLimits/read": "account", "account/login/start": "account_login",
	} {
		if got := chapterOf(method); got != want {
			t.Errorf("%s is in %s, want %s", method, got, want)
		}
	}
}

// TestPublish: what the rows refer to is written, with today's references, and nothing else.
func TestPublish(t *testing.T) {
	const published = `{"x-version":"1.2.3","x-results":{"a/b":"BResponse","c":"CResponse"},"definitions":{
		"RequestId":{"type":"string","title":"RequestId"},"JSONRPCErrorError":{"type":"object"},"Other":{"type":"string"},
		"BParams":{"type":"object","title":"BParams","properties":{"title":{"type":"string"},"deep":{"$ref":"#/definitions/Deep"},"most":{"maximum":9007199254740993}}},
		"Deep":{"enum":["x"],"title":"Deep"},"BResponse":{"type":"object"},"CResponse":{"type":"object"},
		"ClientRequest":{"oneOf":[
			{"properties":{"id":{"$ref":"#/definitions/RequestId"},"method":{"enum":["a/b"]},"params":{"$ref":"#/definitions/BParams"}},"required":["id","method","params"],"title":"A"},
			{"properties":{"method":{"enum":["left/out"]},"params":{"$ref":"#/definitions/Other"}}}]},
		"ServerRequest":{"oneOf":[{"properties":{"method":{"enum":["c"]}}}]},
		"ServerNotification":{"oneOf":[{"properties":{"method":{"enum":["d"]}}}]},
		"ClientNotification":{"oneOf":[{"properties":{"method":{"enum":["initialized"]}}}]}}}`
	rows := []row{{"request", "1", "a/b"}, {side: "call", method: "c"}, {side: "notification", method: "d"}}
	text, err := publish([]byte(published), rows)
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	want := []string{
		"ABLine", "AgentNotification", "AgentNotifications", "AgentRequest", "AgentRequests", "AgentResult", "BParams", "BResponse", "CLine", "CResponse",
		"ClientNotification", "ClientRequest", "ClientRequests", "ClientResult", "DLine", "Deep", "Failure", "Inbound", "InitializedLine", "JSONRPCErrorError",
		"Outbound", "RequestId",
	}
	if got := sortedKeys(doc.Defs); !slices.Equal(got, want) {
		t.Errorf("defined are %q", got)
	}
	var params bytes.Buffer
	if err := json.Compact(&params, doc.Defs["BParams"]); err != nil {
		t.Fatal(err)
	}
	if got := params.String(); got != `{"properties":{"deep":{"$ref":"#/$defs/Deep"},"most":{"maximum":9007199254740993},"title":{"type":"string"}},"type":"object"}` {
		t.Errorf("params: %s", got)
	}
	if _, err := publish([]byte(published), append(rows, row{"request", "1", "e"})); err == nil {
		t.Error("a method is written that the schema does not have")
	}
}

// TestCheckedIn: schema/codex.schema.json is what the program writes.
func TestCheckedIn(t *testing.T) {
	const dir = "../../internal/dialect/codex"
	data, err := os.ReadFile(dir + "/codextest/schema.json")
	if err != nil {
		t.Fatal(err)
	}
	rows, err := readRows(dir + "/methods.txt")
	if err != nil {
		t.Fatal(err)
	}
	want, err := publish(data, rows)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := os.ReadFile("../../schema/codex.schema.json"); err != nil || !bytes.Equal(got, want) {
		t.Errorf("schema/codex.schema.json is not what methods.txt gives, %v; write it by: go -C tools run ./codexschema", err)
	}
}
