// Package websearch asks search services on the web: each file named for a service is one
// API, and all of them are a tool.Searcher. It finds pages and never reads one.
package websearch
