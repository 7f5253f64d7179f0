// Package spelling compares names, to suggest the one that was meant.
package spelling

import "strings"

// Nearest returns the name of known that is most like name: one with few other letters, else one
// that begins with it. It returns "" if there is none.
func Nearest(name string, known []string) string {
	limit := max(2, len(name)/3)
	if len(name) < 4 {
		limit = 1
	}
	nearest, best := "", limit+1
	for _, k := range known {
		if d := Distance(name, k); d < best && d < len(k) {
			nearest, best = k, d
		}
	}
	for _, k := range known {
		if nearest == "" && len(name) > 2 && strings.HasPrefix(k, name) {
			nearest = k
		}
	}
	return nearest
}

// Distance returns the Levenshtein distance of a and b in bytes.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
