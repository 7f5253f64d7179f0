package cli

import "strings"

// Enumerate returns a list as a sentence has it: "a, b and c".
func Enumerate(list []string, and string) string {
	last := len(list) - 1
	return strings.Join(list[:last], ", ") + " " + and + " " + list[last]
}
