// Package oauth signs the user in to remote tool servers, as the chapter Authorization of the
// Model Context Protocol, version 2025-11-25, describes it, and stores and renews their tokens.
// It does not talk to the servers themselves, except for the first request, which asks how to
// sign in.
package oauth
