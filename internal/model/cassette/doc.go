// Package cassette records what models answer, and plays it again: tests of an integration need no network and no key.
// A [Recorder] wraps providers and appends their answers to a file; a [Player] is a provider that gives them again.
//
// A recording is JSON Lines, an answer a line ([Entry]). It contains the pieces of the answers, a hash of what was sent, and no
// request. What a player gives is found by the place in a conversation: by the texts of the user so far and the number of
// answers before it, so that concurrent sessions get their own answers in any order, and a result of a tool that differs
// (a path, a duration) changes nothing.
package cassette
