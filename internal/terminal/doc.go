// Package terminal writes untrusted text to the user's terminal, and reads input from it. Text of
// a model, a tool, a file or a session cannot control the terminal: characters that could, and
// invisible ones, are replaced by visible signs. The package knows nothing of sessions.
package terminal
