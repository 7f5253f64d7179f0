// Package codex speaks the app-server protocol of Codex: requests, answers and notifications as JSON-RPC without the
// version member, over stdio, unix sockets and WebSockets. Its types are generated from the schema that a release of
// Codex publishes (make codex-schema); methods.txt lists what is spoken, docs/codex.md how the rest is answered.
package codex
