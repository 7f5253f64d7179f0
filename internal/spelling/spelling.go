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

// Distance returns how many bytes have to be inserted, removed, replaced, or swapped with their neighbour, to make b of a. Its
// time grows with the product of the lengths.
func Distance(a, b string) int {
	rows := [3][]int{make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)} // of the bytes of a
	row, last, lastButOne := rows[0], rows[1], rows[2]
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		row, last, lastButOne = lastButOne, row, last
		row[0] = i + 1
		for j := range len(b) {
			row[j+1] = min(row[j]+1, last[j+1]+1, last[j]+1)
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], lastButOne[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
