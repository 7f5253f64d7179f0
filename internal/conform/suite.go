package conform

import (
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

//go:embed cases
var files embed.FS

// A Side is the side of a protocol that a program is on.
type Side string

// The sides.
const (
	Server Side = "server"
	Client Side = "client"
)

// A Suite is the cases for one side of a protocol, by name.
type Suite struct {
	Dialect string
	Side    Side
	Cases   []Case
}

// Dialects returns the names of the protocols that have cases for a side.
func Dialects(side Side) []string {
	var names []string
	dirs, _ := fs.ReadDir(files, "cases") // embedded
	for _, d := range dirs {
		if _, err := fs.Stat(files, path.Join("cases", d.Name(), string(side))); err == nil {
			names = append(names, d.Name())
		}
	}
	return names
}

// Load returns the cases of a protocol.
func Load(dialect string, side Side) (Suite, error) {
	if names := Dialects(side); !slices.Contains(names, dialect) {
		return Suite{}, fmt.Errorf("no cases for a %s of %q; there are cases for %s", side, dialect, strings.Join(names, ", "))
	}
	dir := path.Join("cases", dialect)
	common := map[string][]byte{}
	if data, err := files.ReadFile(path.Join(dir, "common.txtar")); err == nil {
		for _, f := range txtar.Parse(data).Files {
			common[f.Name] = f.Data
		}
	}
	entries, err := fs.ReadDir(files, path.Join(dir, string(side)))
	if err != nil {
		return Suite{}, err
	}
	s := Suite{Dialect: dialect, Side: side}
	for _, e := range entries {
		name := path.Join(dir, string(side), e.Name())
		data, err := files.ReadFile(name)
		if err != nil {
			return Suite{}, err
		}
		c, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), data, common)
		if err != nil {
			return Suite{}, fmt.Errorf("%s: %w", name, err)
		}
		s.Cases = append(s.Cases, c)
	}
	return s, nil
}

// Select returns the suite with the cases whose names match one of the patterns, as in path.Match.
func (s Suite) Select(patterns []string) (Suite, error) {
	var chosen []Case
	for _, pattern := range patterns {
		n := len(chosen)
		for _, c := range s.Cases {
			switch ok, err := path.Match(pattern, c.Name); {
			case err != nil:
				return s, fmt.Errorf("pattern %q: %w", pattern, err)
			case ok:
				chosen = append(chosen, c)
			}
		}
		if len(chosen) == n {
			return s, fmt.Errorf("no case of the %s of %s matches %q", s.Side, s.Dialect, pattern)
		}
	}
	s.Cases = chosen
	return s, nil
}
