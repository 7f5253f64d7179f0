// Package openai speaks OpenAI's two wires: Responses, and Chat Completions, which is
// also the one that most other servers speak. It uses no SDK: chatrequestwire.go,
// chatwire.go, responsesrequestwire.go and responseswire.go have the types of the wires,
// package sse sends requests and reads events.
package openai
