package rule

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	maxFile  = 256 << 10 // bytes of a file
	maxRules = 500
)

// endings are those of files with rules.
var endings = []string{".md", ".mdc"}

// Find reads the rules of folders, in their order, and in each in the order of the names; of
// two of one name the first counts. A folder that is not there is no error. What cannot be
// read, or used, is told in errs, a sentence each.
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

// readFile reads a file that is one. A symlink has to lead to a file that could be a rule: a
// stranger's repository must not choose a private file for the model to be told.
func readFile(path string) (string, error) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", err
	}
	info, err := os.Stat(real)
	switch {
	case err != nil:
		return "", err
	case !slices.Contains(endings, filepath.Ext(real)):
		return "", fmt.Errorf("%s leads to what is no rule", path)
	case !info.Mode().IsRegular():
		return "", fmt.Errorf("%s is no file", path)
	case info.Size() > maxFile:
		return "", fmt.Errorf("%s is longer than %d bytes: it is left out", path, maxFile)
	}
	file, err := os.Open(real)
	if err != nil {
		return "", err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxFile))
	return string(data), err
}
