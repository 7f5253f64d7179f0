package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// programs are what a release consists of.
var programs = []string{"parley", "parley-console", "parley-host"}

// A platform is an operating system and a processor, by Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "/" + p.arch }

func parsePlatform(name string) (platform, error) {
	system, arch, ok := strings.Cut(name, "/")
	if !ok || system == "" || arch == "" {
		return platform{}, fmt.Errorf("%q is no platform such as linux/amd64", name)
	}
	return platform{system, arch}, nil
}

// suffix returns the end of the name of a program.
func (p platform) suffix() string {
	if p.os == "windows" {
		return ".exe"
	}
	return ""
}

// A kind is what a file is to a package.
type kind int

const (
	program    kind = iota
	license         // a licence
	document        // for readers
	manual          // a page of the manual
	completion      // of a shell
)

// A file is one of a release.
type file struct {
	kind kind
	path string // in an archive, with slashes
	data []byte
}

func (f file) mode() os.FileMode {
	if f.kind == program {
		return 0o755
	}
	return 0o644
}

// built returns the path of a program for a platform.
func (r release) built(name string, p platform) string {
	return filepath.Join(r.dist, fmt.Sprintf("%s-%s-%s-%s%s", name, r.version, p.os, p.arch, p.suffix()))
}

// files returns what belongs to a platform, sorted by path.
func (r release) files(p platform) ([]file, error) {
	var files []file
	add := func(kind kind, path, source string) error {
		data, err := os.ReadFile(source)
		files = append(files, file{kind, path, data})
		return err
	}
	for _, name := range programs {
		if err := add(program, name+p.suffix(), r.built(name, p)); err != nil {
			return nil, err
		}
		if err := add(document, name+".cdx.json", r.built(name, p)+".cdx.json"); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"LICENSE", "LICENSES.txt"} {
		if err := add(license, name, filepath.Join(r.dist, name)); err != nil {
			return nil, err
		}
	}
	files = append(files, r.texts...)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.path, b.path) })
	return files, nil
}
