// Package recordtest is records, and session files, for the tests of this dialect and its rooms.
package recordtest
