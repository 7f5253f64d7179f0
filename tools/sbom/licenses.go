package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
)

// texts returns the licences of modules, one after the other; they have to go with a program. A
// module without any is an error: it must not be distributed.
func texts(modcache, goroot string, all []component) ([]byte, error) {
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.path+"@"+a.version, b.path+"@"+b.version) })
	var text bytes.Buffer
	if err := licence(&text, "Go, its standard library and runtime", goroot); err != nil {
		return nil, err
	}
	for _, c := range slices.Compact(all) {
		path, err := module.EscapePath(c.path)
		if err != nil {
			return nil, err
		}
		version, err := module.EscapeVersion(c.version)
		if err != nil {
			return nil, err
		}
		if err := licence(&text, c.path+" "+c.version, filepath.Join(modcache, path+"@"+version)); err != nil {
			return nil, err
		}
	}
	return text.Bytes(), nil
}

// notices begin the names, in upper case, of files that go with a program.
var notices = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}

func licence(to *bytes.Buffer, title, folder string) error {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return fmt.Errorf("the licence of %s: %w", title, err)
	}
	found := false
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if !e.Type().IsRegular() || filepath.Ext(name) == ".GO" || !slices.ContainsFunc(notices, func(n string) bool { return strings.HasPrefix(name, n) }) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(folder, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(to, "==== %s: %s\n\n%s\n\n", title, e.Name(), bytes.TrimSpace(text))
		found = true
	}
	if !found {
		return fmt.Errorf("%s has no licence in %s", title, folder)
	}
	return nil
}
