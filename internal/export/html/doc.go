// Package html writes a session as one HTML file to read: the messages, the tools that ran and
// their results. The file is complete: it needs no network, no script and no other file.
//
// Texts of a session are untrusted. They are written to the page only as text, or as Markdown that
// is reduced to a fixed set of elements (markdown.go); in addition, a content security policy in
// the head of the page forbids everything else.
package html
