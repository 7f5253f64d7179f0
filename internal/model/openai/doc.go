// Package openai speaks OpenAI's two wires: Responses, and Chat Completions, which is
// also the one that most other servers speak. Requests are built and sent with the
// official SDK; the events of an answer are read here, since the SDK's decoding costs
// more than the rest of a delta's way.
package openai
