// Package anthropic speaks Anthropic's wire, Messages, which other servers speak too.
// It uses no SDK: requestwire.go and wire.go have the types of the wire, package sse sends
// requests and reads events.
package anthropic
