package journal

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"parley.dev/parley/internal/event"
)

// MaxID is the maximum length of a session id, in bytes.
const MaxID = 128

// ValidID reports whether a store accepts an id. Every driver accepts the same ids, so that a session
// can be copied from one store to another: those that can be the name of a folder.
func ValidID(id event.SessionID) bool {
	name := string(id)
	return name != "" && len(name) <= MaxID && utf8.ValidString(name) &&
		strings.Trim(name, ".") != "" &&
		!strings.ContainsFunc(name, func(r rune) bool { return r == '/' || r == '\\' || unicode.IsControl(r) })
}
