package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
)

// A part is what a program consists of, besides its own code: Go, a module, a package of the web page, or data.
type part struct {
	name, version, url string // url is a package URL
	description        string
	sum                []byte // SHA-256; nil if it is not known
	license            string // an SPDX expression
	texts              []text
}

// goName is the name of Go among licences.
const goName = "Go, its standard library and runtime"

// folders are where the sources of programs are.
type folders struct{ root, modcache, goroot string }

// parts returns the parts of a program; Go is the first, the others are sorted.
func (f folders) parts(info *debug.BuildInfo) ([]part, error) {
	packages, err := f.packages(info)
	if err != nil {
		return nil, err
	}
	all, err := f.modules(info, packages)
	if err != nil {
		return nil, err
	}
	for _, e := range embedded {
		if slices.ContainsFunc(packages, func(p linkedPackage) bool { return p.path == e.in }) {
			more, err := e.parts(f.root)
			if err != nil {
				return nil, err
			}
			all = append(all, more...)
		}
	}
	slices.SortFunc(all, func(a, b part) int { return strings.Compare(a.url, b.url) })
	ofGo, err := f.ofGo(info)
	return append([]part{ofGo}, all...), err
}

func (f folders) ofGo(info *debug.BuildInfo) (part, error) {
	url := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
	p := part{name: "std", version: info.GoVersion, url: url, description: "the standard library and the runtime of Go"}
	files, err := noticesIn(f.goroot)
	if err != nil {
		return part{}, err
	}
	return p, p.read(goName, f.goroot, files)
}

// read reads licences.
func (p *part) read(name, folder string, files []string) (err error) {
	if p.texts, err = readTexts(name, folder, files); err == nil {
		p.license, err = expression(name, p.texts)
	}
	return err
}

// modules returns the modules in a program but its own, after replacements.
func (f folders) modules(info *debug.BuildInfo, packages []linkedPackage) ([]part, error) {
	var all []part
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		p, err := f.module(m, packages)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Path, err)
		}
		all = append(all, p)
	}
	return all, nil
}

func (f folders) module(m *debug.Module, packages []linkedPackage) (part, error) {
	p := part{name: m.Path, version: m.Version, url: purl(m.Path, m.Version)}
	if m.Sum != "" {
		var err error
		if p.sum, err = treeSum(m.Sum); err != nil {
			return part{}, err
		}
	}
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return part{}, err
	}
	version, err := module.EscapeVersion(m.Version)
	if err != nil {
		return part{}, err
	}
	folder := filepath.Join(f.modcache, path+"@"+version)
	files, err := noticesIn(folder)
	if err != nil {
		return part{}, err
	}
	// Packages can be of another author than their module. Their files count if the program has them.
	nested := map[string]bool{}
	for _, linked := range packages {
		for inner := linked.folder; strings.HasPrefix(inner, folder+string(filepath.Separator)) && !nested[inner]; inner = filepath.Dir(inner) {
			nested[inner] = true
			more, err := noticesIn(inner)
			if err != nil {
				return part{}, err
			}
			files = append(files, more...)
		}
	}
	slices.Sort(files)
	return p, p.read(m.Path+" "+m.Version, folder, files)
}

// A linkedPackage is a package in a program.
type linkedPackage struct{ path, folder string }

// packages returns the packages in a program, as the go command lists them for its system.
func (f folders) packages(info *debug.BuildInfo) ([]linkedPackage, error) {
	args, environment := []string{"list", "-deps", "-f", "{{.ImportPath}}\t{{.Dir}}"}, os.Environ()
	for _, s := range info.Settings {
		switch {
		case s.Key == "-tags":
			args = append(args, "-tags", s.Value)
		case s.Key == "GOOS" || s.Key == "GOARCH" || s.Key == "CGO_ENABLED":
			environment = append(environment, s.Key+"="+s.Value)
		}
	}
	cmd := exec.Command("go", append(args, info.Path)...)
	var message bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = f.root, environment, &message
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list %s: %w: %s", info.Path, err, bytes.TrimSpace(message.Bytes()))
	}
	var all []linkedPackage
	for line := range strings.Lines(string(out)) {
		path, folder, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		all = append(all, linkedPackage{path, folder})
	}
	return all, nil
}

// embedded are the packages of the program that have something of others in them which is no Go package.
var embedded = []struct {
	in    string
	parts func(root string) ([]part, error)
}{
	{"parley.dev/parley/internal/host/web", page},
	{"parley.dev/parley/internal/model/catalog", catalog},
}

// page returns the packages of npm in the page of the web console, from the list that tools/web writes.
func page(root string) ([]part, error) {
	data, err := os.ReadFile(filepath.Join(root, "internal/host/web/page/packages.json"))
	if err != nil {
		return nil, err
	}
	var packages []struct{ Name, Version, License, Text string }
	if err := json.Unmarshal(data, &packages); err != nil {
		return nil, fmt.Errorf("packages.json: %w", err)
	}
	var all []part
	for _, p := range packages {
		all = append(all, part{
			name: p.Name, version: p.Version, url: "pkg:npm/" + strings.ReplaceAll(p.Name, "@", "%40") + "@" + p.Version,
			description: "in the page of the web console", license: p.License,
			texts: []text{{p.Name + " " + p.Version + ", in the page of the web console: LICENSE", p.Text}},
		})
	}
	return all, nil
}

// catalog returns the module of which the data of known models are.
func catalog(root string) ([]part, error) {
	path := filepath.Join(root, "tools/catalog/go.mod")
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	mod, err := modfile.ParseLax(path, data, nil)
	if err != nil {
		return nil, err
	}
	const name = "charm.land/catwalk"
	for _, r := range mod.Require {
		if r.Mod.Path == name {
			folder := filepath.Join(root, "internal/model/catalog")
			p := part{name: name, version: r.Mod.Version, url: purl(name, r.Mod.Version), description: "the data of known models; no code of it"}
			return []part{p}, p.read(name+" "+r.Mod.Version+", the data of known models", folder, []string{filepath.Join(folder, "LICENSE")})
		}
	}
	return nil, fmt.Errorf("%s does not require %s", path, name)
}
