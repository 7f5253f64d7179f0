package transcript

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"mvdan.cc/sh/v3/shell"
)

// folders are the new folders of one transcript.
type folders struct {
	work, home, temp string
}

// makeFolders creates the folders of s below root, with its files.
func makeFolders(s *script, root string) (folders, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return folders{}, err
	}
	p := folders{work: filepath.Join(root, "work"), home: filepath.Join(root, "home"), temp: filepath.Join(root, "tmp")}
	for _, dir := range []string{p.work, p.home, p.temp} {
		if err := os.Mkdir(dir, 0o755); err != nil {
			return folders{}, err
		}
	}
	for _, f := range s.files {
		if f.Name == "git" {
			if err := p.commit(string(f.Data)); err != nil {
				return folders{}, err
			}
			continue
		}
		folder, name, _ := strings.Cut(f.Name, "/")
		path := filepath.Join(p.work, filepath.FromSlash(name))
		if folder == "home" {
			path = filepath.Join(p.home, filepath.FromSlash(name))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return folders{}, err
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			return folders{}, err
		}
	}
	return p, nil
}

// binds returns the predefined names of a transcript.
func (p folders) binds() (binds, error) {
	b := binds{}
	for name, path := range map[string]string{"WORK": p.work, "HOME": p.home} {
		quoted, err := jsontext.AppendQuote(nil, path)
		if err != nil {
			return nil, err
		}
		b[name] = quoted
	}
	return b, nil
}

// inherited are the variables that the programs of a transcript have from the tests: the path of
// commands, and the caches of the Go tools.
var inherited = []string{"PATH", "GOROOT", "GOCACHE", "GOPATH", "GOMODCACHE", "GOPROXY", "GOTOOLCHAIN", "GOCOVERDIR", "GORACE", "SYSTEMROOT"}

// launch returns the n-th start of s, n from 0, with the shell words args.
func (p folders) launch(s *script, o Options, n int, args string) (launch, error) {
	own, err := shell.Fields(args, p.lookup)
	if err != nil {
		return launch{}, fmt.Errorf("arguments %q: %w", args, err)
	}
	l := launch{dir: p.work, args: append(append([]string{}, o.Args...), own...)}
	for _, name := range inherited {
		if value, ok := os.LookupEnv(name); ok {
			l.env = append(l.env, name+"="+value)
		}
	}
	l.env = append(l.env, "HOME="+p.home, "PARLEY_HOME="+filepath.Join(p.home, ".parley"),
		"PWD="+p.work, "TMPDIR="+p.temp, "LANG=C.UTF-8", "TZ=UTC")
	if len(s.models) > 0 {
		path := filepath.Join(p.temp, "model.script")
		model := bytes.ReplaceAll(s.models[min(n, len(s.models)-1)], []byte("$WORK"), []byte(p.work))
		if err := os.WriteFile(path, model, 0o644); err != nil {
			return launch{}, err
		}
		l.env = append(l.env, "PARLEY_MODEL=offline/script", "PARLEY_OFFLINE_SCRIPT="+path)
	}
	l.env = append(l.env, o.Env...)
	for _, setting := range s.env {
		name, value, _ := strings.Cut(setting, "=")
		l.env = append(l.env, name+"="+os.Expand(value, p.lookup))
	}
	return l, nil
}

// lookup returns the values of the names that start lines may use.
func (p folders) lookup(name string) string {
	return map[string]string{"WORK": p.work, "HOME": p.home}[name]
}
