package provider

import "parley.dev/parley/internal/config"

// builtIn is the providers that need no configuration but a key, in the order in which the
// default model is looked for.
var builtIn = []struct{ name, api, baseURL, keyEnv, urlEnv string }{
	{"anthropic", config.APIAnthropic, "", "ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL"},
	{"openai", config.APIResponses, "", "OPENAI_API_KEY", "OPENAI_BASE_URL"},
	{"gemini", config.APIChat, "https://generativelanguage.googleapis.com/v1beta/openai", "GEMINI_API_KEY", "GEMINI_BASE_URL"},
	{"openrouter", config.APIChat, "https://openrouter.ai/api/v1", "OPENROUTER_API_KEY", "OPENROUTER_BASE_URL"},
	{"deepseek", config.APIChat, "https://api.deepseek.com/v1", "DEEPSEEK_API_KEY", "DEEPSEEK_BASE_URL"},
	{"mistral", config.APIChat, "https://api.mistral.ai/v1", "MISTRAL_API_KEY", "MISTRAL_BASE_URL"},
	{"groq", config.APIChat, "https://api.groq.com/openai/v1", "GROQ_API_KEY", "GROQ_BASE_URL"},
	{"xai", config.APIChat, "https://api.x.ai/v1", "XAI_API_KEY", "XAI_BASE_URL"},
	{"moonshot", config.APIChat, "https://api.moonshot.ai/v1", "MOONSHOT_API_KEY", "MOONSHOT_BASE_URL"},
	{"cerebras", config.APIChat, "https://api.cerebras.ai/v1", "CEREBRAS_API_KEY", "CEREBRAS_BASE_URL"},
	{"zai", config.APIChat, "https://api.z.ai/api/paas/v4", "ZAI_API_KEY", "ZAI_BASE_URL"},
	{"ollama", config.APIChat, "http://localhost:11434/v1", "", "OLLAMA_BASE_URL"},
}
