// Package websearch queries search services on the web. Each file named for a service implements
// tool.Searcher for one API. The package finds pages and never reads one.
package websearch
