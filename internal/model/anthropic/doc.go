// Package anthropic speaks Anthropic's wire, Messages, which other servers speak too.
// Requests are built and sent with the official SDK; the events of an answer are read
// here, since the SDK's decoding costs more than the rest of a delta's way.
package anthropic
