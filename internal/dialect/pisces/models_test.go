package pisces

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
)

func TestModelOf(t *testing.T) {
	for _, test := range []struct {
		info model.Info
		want string
	}{
		{
			model.Info{ID: "otter-2", Provider: "acme", Name: "Otter 2", ContextWindow: 128_000, MaxOutput: 8192, Images: true, Price: model.Price{Input: 1, Output: 2, CacheRead: 0.1}, Thinking: []model.Thinking{model.High, model.Low}},
			`{"id":"otter-2","name":"Otter 2","api":"openai-completions","provider":"acme","baseUrl":"","reasoning":true,"thinking":{"mode":"effort","minLevel":"low","maxLevel":"high"},"input":["text","image"],"cost":{"input":1,"output":2,"cacheRead":0.1,"cacheWrite":0},"contextWindow":128000,"maxTokens":8192}`,
		},
		{
			model.Info{ID: "eel", Provider: "openai", API: "chat"},
			`{"id":"eel","name":"eel","api":"openai-completions","provider":"openai","baseUrl":"","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":0,"maxTokens":0}`,
		},
		{
			model.Info{ID: "x", Provider: "anthropic", Thinking: []model.Thinking{"other"}},
			`{"id":"x","name":"x","api":"anthropic-messages","provider":"anthropic","baseUrl":"","reasoning":true,"thinking":{"mode":"budget","minLevel":"minimal","maxLevel":"xhigh"},"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":0,"maxTokens":0}`,
		},
	} {
		if diff := cmp.Diff(test.want, string(rawjson.Marshal(modelOf(test.info)))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestProblems(t *testing.T) {
	for _, test := range []struct {
		err  error
		want string
	}{
		{engine.ErrTurnActive, busyText},
		{fmt.Errorf("compact: %w", engine.ErrNothingToCompact), "Nothing to compact (session too small)"},
		{engine.ErrInterrupted, "Compaction cancelled"},
		{fmt.Errorf("open session: %w: x", engine.ErrUnavailable), "The store cannot be read."},
		{engine.ErrBadHead, "Invalid entry ID for branching"},
		{&engine.LockedError{ID: "s", PID: 1}, "session s is in use by process 1: wait until nothing runs there, or end that process"},
		{&model.Error{Kind: model.NotConfigured, Provider: "acme", Message: "set ACME_API_KEY"}, "No API key found for acme. set ACME_API_KEY"},
		{&model.Error{Kind: model.NotConfigured, Message: "name one"}, "No model selected. name one"},
		{&model.Error{Kind: model.Overloaded, Status: 503, Message: "overloaded"}, "HTTP 503: overloaded"},
		{errors.New("something else"), "something else"},
	} {
		if got := problemOf(test.err); got != test.want {
			t.Errorf("%v: got %q, want %q", test.err, got, test.want)
		}
	}
	want := `{"type":"response","id":7,"command":"set_model","success":false,"error":"Model not found: acme/eel"}`
	if got := string(encode(*failed(command{id: []byte("7"), name: CommandSetModel}, "Model not found: acme/eel"))); got != want {
		t.Errorf("got %s", got)
	}
}
