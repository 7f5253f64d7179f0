// Package sessions is the command that lists, prints, exports, repairs and deletes sessions.
package sessions
