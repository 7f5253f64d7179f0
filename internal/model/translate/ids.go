package translate

import (
	"crypto/sha256"
	"strings"

	"parley.dev/parley/internal/model/profile"
)

const (
	alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	hashLetters  = 20 // of an id that is made; where there is room
)

// fits reports whether an endpoint takes id. An empty one is left as it is: nothing refers to it.
func fits(id string, form profile.CallIDs) bool {
	if id == "" {
		return true
	}
	if form.Max > 0 && len(id) > form.Max || form.Exact && len(id) != form.Max {
		return false
	}
	return form.Any || onlyOf(id, alphanumeric+form.Letters)
}

func onlyOf(id, letters string) bool { return strings.Trim(id, letters) == "" }

// fit returns an id of the form that stands for id, always the same one. It is a hash, so that
// different ids stay different.
func fit(id string, form profile.CallIDs) string {
	letters := hashLetters
	if form.Max > 0 && (form.Exact || letters > form.Max) {
		letters = form.Max
	}
	sum := sha256.Sum256([]byte(id))
	out := make([]byte, letters)
	for i := range out {
		out[i] = alphanumeric[int(sum[i%len(sum)])%len(alphanumeric)]
	}
	return string(out)
}
