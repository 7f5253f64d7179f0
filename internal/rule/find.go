package rule

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"parley.dev/parley/internal/regular"
)

const (
	maxFile  = 256 << 10 // bytes of a file
	maxRules = 500
)

// endings are the extensions of files with rules.
var endings = []string{".md", ".mdc"}

// Find reads the rules of folders, in their order, and in each in the order of the names; of two
// rules with the same name it returns the first. A missing folder is not an error. errs has one
// sentence for each file, or part of one, that cannot be used.
func Find(folders []string) (rules []*Rule, errs []error) {
	seen := map[string]bool{}
	for _, folder := range folders {
		entries, err := os.ReadDir(folder)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
		for _, entry := range entries {
			path := filepath.Join(folder, entry.Name())
			if !slices.Contains(endings, filepath.Ext(path)) {
				continue
			}
			if len(rules) == maxRules {
				return rules, append(errs, fmt.Errorf("there are more than %d rules: the others are left out", maxRules))
			}
			text, err := readFile(path)
			if err != nil {
				errs = append(errs, err)
				continue
			}
			r, wrong := Parse(path, text)
			for _, err := range wrong {
				errs = append(errs, fmt.Errorf("%s: %w", path, err))
			}
			if !seen[r.Name] {
				seen[r.Name] = true
				rules = append(rules, r)
			}
		}
	}
	return rules, errs
}

// readFile reads a regular file. A symlink has to lead to a file that could be a rule: a cloned
// repository must not be able to send a private file to the model.
func readFile(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	if !slices.Contains(endings, filepath.Ext(real)) {
		return "", fmt.Errorf("%s leads to what is no rule", path)
	}
	data, err := regular.ReadFile(real, maxFile)
	if _, tooLarge := errors.AsType[*regular.TooLargeError](err); tooLarge {
		return "", fmt.Errorf("%s is longer than %d bytes: it is left out", path, maxFile)
	}
	return string(data), err
}
