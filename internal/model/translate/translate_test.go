package translate

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/profile"
)

func target(provider, id string) Target {
	return Target{Provider: provider, Model: id, Profile: profile.For(profile.Endpoint{Wire: profile.Chat, Provider: provider}, id)}
}

func thinking(signature string) model.Block {
	return model.Block{Kind: model.KindThinking, Text: "Hm.", Signature: signature}
}

// Reasoning goes back only to the model that it is from, and only where the endpoint takes it.
func TestThinking(t *testing.T) {
	answer := func(provider, id string) model.Message {
		return model.Message{Role: model.Assistant, Provider: provider, Model: id, Blocks: []model.Block{thinking("reasoning_content"), model.TextBlock("So.")}}
	}
	for _, test := range []struct {
		name string
		from model.Message
		to   Target
		kept bool
	}{
		{"the same", answer("deepseek", "deepseek-v4-pro"), target("deepseek", "deepseek-v4-pro"), true},
		{"another model", answer("deepseek", "deepseek-v4-flash"), target("deepseek", "deepseek-v4-pro"), false},
		{"another provider", answer("house", "deepseek-v4-pro"), target("deepseek", "deepseek-v4-pro"), false},
		{"of an older journal", answer("", "deepseek-v4-pro"), target("deepseek", "deepseek-v4-pro"), true},
		{"of an older journal, another model", answer("", "m"), target("deepseek", "deepseek-v4-pro"), false},
		{"of nowhere", answer("", ""), target("deepseek", "deepseek-v4-pro"), false},
		{"an endpoint that refuses it", answer("groq", "llama-3.3-70b-versatile"), target("groq", "llama-3.3-70b-versatile"), false},
		{"an endpoint that takes it", answer("groq", "openai/gpt-oss-120b"), target("groq", "openai/gpt-oss-120b"), true},
	} {
		got := Request(&model.Request{Messages: []model.Message{test.from}}, test.to).Messages[0].Blocks
		want := []model.Block{model.TextBlock("So.")}
		if test.kept {
			want = test.from.Blocks
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
	}
}

// Ids that an endpoint refuses become others of its form, results alike.
func TestIDs(t *testing.T) {
	long := fmt.Sprintf("functions.read:0|%060d", 7)
	ids := []string{"call_abc", "a.b", "a_b", "call_1_0", long, long + "x", "Abcdefgh1", "functions.read:0", "ä"}
	for _, test := range []struct {
		provider string
		form     string
		kept     []string
	}{
		{"openai", `^[A-Za-z0-9_-]{1,40}$`, []string{"call_abc", "a_b", "call_1_0", "Abcdefgh1"}},
		{"anthropic", `^[A-Za-z0-9_-]{1,64}$`, []string{"call_abc", "a_b", "call_1_0", "Abcdefgh1"}},
		{"mistral", `^[A-Za-z0-9]{9}$`, []string{"Abcdefgh1"}},
		{"compatible", `^.{1,64}$`, []string{"call_abc", "a.b", "a_b", "call_1_0", "Abcdefgh1", "functions.read:0", "ä"}},
	} {
		req := &model.Request{}
		for _, id := range ids {
			req.Messages = append(req.Messages,
				model.Message{Role: model.Assistant, Blocks: []model.Block{{Kind: model.KindToolCall, Call: &model.Call{ID: id, Name: "read"}}}},
				model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: id, Text: "r"}}}})
		}
		before := *req
		out := Request(req, target(test.provider, "m"))
		if !reflect.DeepEqual(before, *req) {
			t.Fatal("the request was changed")
		}
		seen, form := map[string]bool{}, regexp.MustCompile(test.form)
		for i, id := range ids {
			call, result := out.Messages[2*i].Blocks[0].Call.ID, out.Messages[2*i+1].Blocks[0].Result.CallID
			if call != result || !form.MatchString(call) || seen[call] {
				t.Errorf("%s: %q is %q in the call and %q in the result", test.provider, id, call, result)
			}
			seen[call] = true
			if kept := slices.Contains(test.kept, id); kept != (call == id) {
				t.Errorf("%s: %q became %q", test.provider, id, call)
			}
		}
	}
}

// A conversation that grows keeps its beginning.
func TestPrefixIsStable(t *testing.T) {
	to := target("mistral", "mistral-large-latest")
	var req model.Request
	var before []model.Message
	for i := range 6 {
		id := fmt.Sprintf("call_%d", i)
		req.Messages = append(req.Messages, model.UserText(id),
			model.Message{Role: model.Assistant, Model: "other", Blocks: []model.Block{thinking("x"), {Kind: model.KindToolCall, Call: &model.Call{ID: id}}}},
			model.Message{Role: model.Tool, Blocks: []model.Block{{Kind: model.KindToolResult, Result: &model.Result{CallID: id}}}})
		out := Request(&req, to).Messages
		if diff := cmp.Diff(before, out[:len(before)]); i > 0 && diff != "" {
			t.Fatalf("request %d: %s", i, diff)
		}
		before = out
	}
}

// Names of tools that no endpoint takes, which agents of other programs give their calls, become names that all take.
func TestNames(t *testing.T) {
	for _, test := range []struct{ name, want string }{
		{"read_file", "read_file"},
		{"mcp__docs__look-up", "mcp__docs__look-up"},
		{"Modifying critical configuration file", "Modifying_critical_configuration_file"},
		{"`cat ä.txt`", "_cat___txt_"},
		{"", "tool"},
		{fmt.Sprintf("%070d", 7), fmt.Sprintf("%064d", 0)},
	} {
		m := model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("So."), model.CallBlock(model.Call{ID: "c1", Name: test.name})}}
		got := Request(&model.Request{Messages: []model.Message{m}}, target("openai", "gpt-5")).Messages[0].Blocks[1].Call.Name
		if got != test.want || m.Blocks[1].Call.Name != test.name {
			t.Errorf("%q became %q, want %q; it was changed to %q", test.name, got, test.want, m.Blocks[1].Call.Name)
		}
	}
}
