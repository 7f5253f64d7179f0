package peer

import (
	"crypto/rand"
	"encoding/hex"
)

// NewHostID makes up the id of a host: h- and 12 hex digits.
func NewHostID() string {
	b := make([]byte, 6)
	_, _ = rand.Read(b) // never fails
	return "h-" + hex.EncodeToString(b)
}
