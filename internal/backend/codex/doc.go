// Package codex drives the Codex CLI: it is a client of its app-server, a process for each session. Approvals, and what the
// sandbox of the agent allows, are the session's.
// Source: the schema that `codex app-server generate-ts --experimental` of version 0.169.0 prints.
package codex
