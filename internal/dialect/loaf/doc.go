// Package loaf speaks loaf's RPC mode: JSON-RPC 2.0, one line each, over stdio; one process,
// many sessions. Its source is the document "loaf RPC" with its two example clients, and
// where that is silent the program it describes; what both leave open is settled in
// docs/loaf.md.
package loaf
