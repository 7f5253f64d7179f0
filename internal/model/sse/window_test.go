package sse

import (
	"testing"

	"parley.dev/parley/internal/model"
)

// overflows are messages about requests that are too long, as servers write them.
var overflows = []struct {
	server, message string
	window          int
}{
	{"OpenAI", "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.", 8192},
	{"OpenAI Responses", "Your input exceeds the context window of this model. Please adjust your input and try again.", 0},
	{"Anthropic", "prompt is too long: 215000 tokens > 200000 maximum", 200000},
	{"Anthropic with max_tokens", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again", 200000},
	{"Gemini", "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", 1048576},
	{"xAI", "This model's maximum prompt length is 131072 but the request contains 200000 tokens.", 131072},
	{"Mistral", "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768},
	{"Groq", "Please reduce the length of the messages or completion.", 0},
	{"Cerebras", "Please reduce the length of the messages or completion. Current length is 9000 while limit is 8192", 8192},
	{"OpenRouter", "This endpoint's maximum context length is 163,840 tokens. However, you requested about 200,000 tokens", 163840},
	{"Moonshot", "Invalid request: Your request exceeded model token limit: 8192 (requested: 9000)", 8192},
	{"vLLM", "'max_tokens' or 'max_completion_tokens' is too large: 16000. This model's maximum context length is 8192 tokens and your request has 2000 input tokens", 8192},
	{"newer vLLM", "You passed 9001 input tokens and requested 1000 output tokens. However, the model's context length is only 8192 tokens", 8192},
	{"SGLang", "The input (9001 tokens) is longer than the model's context length (8192 tokens).", 8192},
	{"TGI", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 20 `max_new_tokens`", 4096},
	{"llama.cpp", "the request exceeds the available context size (4096 tokens), try increasing it", 4096},
	{"older llama.cpp", "the request exceeds the available context size. try increasing the context size or enable context shift", 0},
	{"Ollama", "prompt too long; exceeded max context length by 120 tokens", 0},
	{"LM Studio", "The number of tokens to keep from the initial prompt is greater than the context length. Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough", 4096},
	{"Qwen", "Range of input length should be [1, 129024]", 129024},
	{"Together", "Input validation error: `inputs` must have less than 8192 tokens. Given: 9001", 8192},
	{"Groq, limit per minute", "Request too large for model `m` in organization `o` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Requested 8012, please reduce your message size and try again.", 6000},
	{"OpenAI, limit per minute", "Request too large for gpt-5.5 in organization org-x on tokens per min (TPM): Limit 30000, Requested 33000. The input or output tokens must be reduced in order to run successfully.", 30000},
	{"Copilot", "prompt token count of 140000 exceeds the limit of 128000", 128000},
}

func TestOverflowMessages(t *testing.T) {
	for _, o := range overflows {
		failed := (&Endpoint{Provider: "p"}).failure(&Fault{Message: o.message, status: 400})
		if failed.Kind != model.ContextTooLong || failed.Window != o.window {
			t.Errorf("%s: kind %s, window %d, want %d", o.server, failed.Kind, failed.Window, o.window)
		}
	}
	for _, message := range []string{"", "context length is 7 tokens", "maximum context length is 99999999999999999999 tokens"} {
		if got := windowOf(message); got != 0 {
			t.Errorf("%q names a window of %d", message, got)
		}
	}
	body := `{"error":{"code":400,"message":"the request exceeds the available context size","type":"exceed_context_size_error","n_prompt_tokens":9001,"n_ctx":8192}}`
	if failed := (&Endpoint{}).failure(parseFault([]byte(body))); failed.Window != 8192 || failed.Kind != model.ContextTooLong {
		t.Errorf("llama.cpp with a number of its own: %+v", failed)
	}
}

// FuzzWindowOf checks that nothing but a believable number is read from a message.
func FuzzWindowOf(f *testing.F) {
	for _, o := range overflows {
		f.Add(o.message)
	}
	f.Fuzz(func(t *testing.T, message string) {
		if n := windowOf(message); n != 0 && (n < minWindow || n > maxWindow) {
			t.Errorf("%q names a window of %d", message, n)
		}
	})
}
