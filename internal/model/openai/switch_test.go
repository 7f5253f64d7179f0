package openai

import (
	"testing"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/model/modeltest"
)

// One conversation with reasoning, calls and a change of the model, as each endpoint is sent it.
func TestSwitchedConversation(t *testing.T) {
	for _, test := range []struct {
		file, provider, model, signature string
		wire                             modeltest.Wire
	}{
		{"openai_responses", "openai", "gpt-5.6-sol", reasoningItem{ID: "rs_1", Encrypted: "c2ln"}.signature(), modeltest.OpenAIResponses},
		{"openai_chat", "openai", "gpt-4.1", "", modeltest.OpenAIChat},
		{"gemini", "gemini", "gemini-3.5-flash", "google:c2ln", modeltest.OpenAIChat},
		{"openrouter", "openrouter", "anthropic/claude-sonnet-5", `reasoning_details:{"details":[{"index":0,"signature":"c2ln","text":"Hm.","type":"reasoning.text"}]}`, modeltest.OpenAIChat},
		{"deepseek", "deepseek", "deepseek-v4-pro", "reasoning_content", modeltest.OpenAIChat},
		{"mistral", "mistral", "mistral-small-latest", "content", modeltest.OpenAIChat},
		{"groq", "groq", "openai/gpt-oss-120b", "reasoning", modeltest.OpenAIChat},
		{"groq_plain", "groq", "llama-3.3-70b-versatile", "reasoning", modeltest.OpenAIChat},
		{"xai", "xai", "grok-4.5", "reasoning_content", modeltest.OpenAIChat},
		{"moonshot", "moonshot", "kimi-k2.6", "reasoning_content", modeltest.OpenAIChat},
		{"ollama", "ollama", "gpt-oss:20b", "reasoning", modeltest.OpenAIChat},
		{"llamacpp", "llama.cpp", "gemma-4", "reasoning_content", modeltest.OpenAIChat},
		{"vllm", "vllm", "qwen3", "reasoning", modeltest.OpenAIChat},
	} {
		t.Run(test.file, func(t *testing.T) {
			subject := modeltest.Subject{Wire: test.wire, New: func(c modeltest.Client) model.Provider {
				o := optionsFor(c)
				o.Name = test.provider
				if test.wire == modeltest.OpenAIResponses {
					return NewResponses(o)
				}
				return NewChat(o)
			}}
			thought := model.Block{Kind: model.KindThinking, Text: "Hm.", Summary: test.wire == modeltest.OpenAIResponses, Signature: test.signature}
			req := modeltest.Switched(test.provider, test.model, thought)
			if test.file == "groq_plain" || test.file == "openai_chat" {
				req.Thinking = "" // what the engine asks of models that do not reason
			}
			subject.Golden(t, "switched_"+test.file, req)
		})
	}
}

// off is asked for in each endpoint's way.
func TestThinkingOff(t *testing.T) {
	for _, test := range []struct{ provider, model string }{
		{"openai", "gpt-5.6-sol"},
		{"gemini", "gemini-2.5-flash"},
		{"openrouter", "anthropic/claude-sonnet-5"},
		{"deepseek", "deepseek-v4-pro"},
		{"mistral", "mistral-small-latest"},
		{"groq", "qwen/qwen3-32b"},
		{"moonshot", "kimi-k2.6"},
		{"qwen", "qwen3-max"},
		{"ollama", "qwen3"},
		{"llama.cpp", "qwen3"},
	} {
		subject := chatAt(test.provider)
		req := modeltest.Hello()
		req.Model, req.Thinking = test.model, model.Off
		subject.Golden(t, "off_"+test.provider, req)
	}
	req := modeltest.Hello()
	req.Model, req.Thinking = "gpt-5.6-sol", model.Off
	responsesSubject.Golden(t, "off_responses", req)
}
