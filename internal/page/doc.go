// Package page writes a session as one HTML file for people: what was said, the tools that
// ran and what they gave. The file needs nothing else: no network, no script, no other file.
//
// Texts of a session are a stranger's. They reach the page only as text, or as Markdown of
// which nothing but a fixed set of elements is left (markdown.go); a policy in the page's
// head forbids the rest once more.
package page
