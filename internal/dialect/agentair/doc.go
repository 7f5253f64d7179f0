// Package agentair speaks the server messages of agent-air: one JSON value a line over stdio,
// one process, many sessions. Its source is the page "Server Messages", which has the types
// and no transport. What it leaves open is settled in docs/agentair.md: how lines are
// distinguished, what answers a permission request or questions, and the commands.
package agentair
