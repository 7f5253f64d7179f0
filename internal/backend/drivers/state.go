package drivers

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/config"
)

// folders returns the folders of its own that an agent may write, as far as they exist. Those of an agent that is known are made: the
// process cannot make them itself, since it may not write the home folder.
func (d *Drivers) folders(k kind.Kind, b config.BackendSettings) (all []string) {
	candidates := b.State
	if candidates == nil {
		_, known := k.AgentOf(b.Command)
		for _, a := range k.Agents(b.Command) {
			for _, name := range a.State {
				path := filepath.Join(d.Getenv("HOME"), name)
				if known {
					makeState(path)
				}
				candidates = append(candidates, path)
			}
		}
	}
	for _, path := range candidates {
		if rest, ok := strings.CutPrefix(path, "~/"); ok {
			path = filepath.Join(d.Getenv("HOME"), rest)
		}
		if real, err := filepath.EvalSymlinks(path); err == nil {
			all = append(all, real)
		}
	}
	return all
}

// makeState makes a folder, or a file with an empty object, unless there is something. Without it the agent reports what it cannot write.
func makeState(path string) {
	if !filepath.IsAbs(path) {
		return // there is no home folder
	}
	if filepath.Ext(path) != ".json" {
		_ = os.MkdirAll(path, 0o700)
		return
	}
	if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		_ = os.WriteFile(path, []byte("{}\n"), 0o600)
	}
}

// startup returns what an agent, and its commands, must not write below its state and the folder dir, since agents execute it when they
// start the next time. An agent whose folders are configured has what the user gave it.
func (d *Drivers) startup(k kind.Kind, b config.BackendSettings, dir string) (files, folders []string) {
	add := func(below, name string) {
		parent, err := filepath.EvalSymlinks(filepath.Join(below, filepath.Dir(name)))
		if err != nil {
			return // it would have to be made, which a placeholder in its place shows the user
		}
		path := filepath.Join(parent, filepath.Base(name))
		paths := []string{path}
		if real, err := filepath.EvalSymlinks(path); err == nil && real != path {
			paths = append(paths, real)
		}
		if filepath.Ext(name) != "" {
			if _, err := os.Stat(path); err == nil { // an empty file in its place would be one that the agent cannot read
				files = append(files, paths...)
			}
		} else {
			folders = append(folders, paths...)
		}
	}
	for _, a := range k.Agents(b.Command) {
		if home := d.Getenv("HOME"); home != "" && b.State == nil {
			for _, name := range a.Startup {
				add(home, name)
			}
		}
		if dir != "" {
			for _, name := range a.Project {
				add(dir, name)
			}
		}
	}
	slices.Sort(files)
	slices.Sort(folders)
	return slices.Compact(files), slices.Compact(folders)
}

// withoutMissing returns files without those in folders that do not exist: the agent may make them, and cannot read the empty file that
// would take the place of one.
func withoutMissing(files, folders []string) []string {
	return slices.DeleteFunc(slices.Clone(files), func(file string) bool {
		_, err := os.Lstat(file)
		return errors.Is(err, fs.ErrNotExist) && slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(file, folder+string(filepath.Separator)) })
	})
}
