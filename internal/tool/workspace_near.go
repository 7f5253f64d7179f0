package tool

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxNear is how many similar names an error offers.
const maxNear = 3

// nearNames is the names in dir that may have been meant by name, the likeliest first.
func nearNames(dir *os.Root, name string) []string {
	folder, err := dir.Open(".")
	if err != nil {
		return nil
	}
	defer folder.Close()
	names, err := folder.Readdirnames(10_000)
	if err != nil {
		return nil
	}
	type candidate struct {
		name string
		far  int
	}
	var found []candidate
	for _, other := range names {
		if far := distance(name, other); far >= 0 {
			found = append(found, candidate{other, far})
		}
	}
	slices.SortFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.far, b.far), strings.Compare(a.name, b.name))
	})
	var near []string
	for _, c := range found[:min(len(found), maxNear)] {
		near = append(near, shownName(c.name))
	}
	return near
}

// distance is how far name is from other: 0 differs in case only, -1 is unlike.
func distance(name, other string) int {
	a, b := strings.ToLower(name), strings.ToLower(other)
	stem := strings.TrimSuffix(a, filepath.Ext(a))
	edits := typos(a, b)
	switch {
	case edits <= max(1, len(a)/4):
		return edits
	case stem != "" && stem == strings.TrimSuffix(b, filepath.Ext(b)):
		return edits
	case len(a) >= 3 && strings.Contains(b, a), len(b) >= 3 && strings.Contains(a, b):
		return edits
	}
	return -1
}

// typos is the Levenshtein distance of a and b in bytes.
func typos(a, b string) int {
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
