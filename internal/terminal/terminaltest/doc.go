// Package terminaltest opens terminals for tests: what is written to one can be waited for, and
// keys can be pressed.
package terminaltest
