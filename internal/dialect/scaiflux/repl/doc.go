// Package repl is a client of the serve protocol for a user at a terminal: prompts and slash
// commands line by line, and questions about calls that the permission mode does not cover. All it
// knows of a session it has from the wire.
package repl
