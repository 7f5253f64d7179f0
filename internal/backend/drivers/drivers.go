package drivers

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/sandbox"
)

// variables are the variables that every back end gets.
var variables = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "TERM", "TMPDIR", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME",
	"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS",
}

// Drivers makes the back ends of a configuration.
type Drivers struct {
	Settings config.Settings
	Getenv   func(string) string
	Spawner  *sandbox.Spawner
	Version  string // of this program
	Log      *slog.Logger
}

// Program returns the path of the program of a back end.
func (d *Drivers) Program(name string) (path string, err error) {
	b, err := d.Settings.FindBackend(name)
	if err != nil {
		return "", err
	}
	return lookPath(b.Command[0], d.Getenv("PATH"))
}

// Backend returns the back end of that name.
func (d *Drivers) Backend(name string) (backend.Backend, error) {
	b, err := d.Settings.FindBackend(name)
	if err != nil {
		return nil, err
	}
	k, _ := kind.Of(name)
	make := makers[k.Name]
	if make == nil {
		return nil, fmt.Errorf("back end %q: no kind of back ends has this name", name)
	}
	o := Options{Name: name, Settings: b, Version: d.Version, Folder: filepath.Join(d.Settings.Home, "backends")}
	o.StartLimit, o.Silence = b.Limits()
	o.Program = func(opening backend.Opening) (backend.Program, error) { return d.program(name, b, opening) }
	return make(o), nil
}

// Limits returns the limits of the processes of a back end.
func (d *Drivers) Limits(name string) backend.Limits {
	b, err := d.Settings.FindBackend(name)
	if err != nil {
		return backend.Limits{} // Backend says so
	}
	return backend.Limits{Idle: b.IdleLimit(), Most: b.Most}
}

// program returns what is started for a session of a back end.
func (d *Drivers) program(name string, b config.BackendSettings, o backend.Opening) (backend.Program, error) {
	path, err := lookPath(b.Command[0], d.Getenv("PATH"))
	if err != nil {
		return backend.Program{}, err
	}
	k, _ := kind.Of(name)
	env, secrets := d.environ(b)
	confine := sandbox.Policy{Level: sandbox.Full}
	if (b.Confine == kind.Outer || b.Confine == kind.Strict) && o.Confine.Level != sandbox.Full {
		confine = o.Confine
		confine.Level = sandbox.WorkspaceWrite // its own state has to be written even where the session may change nothing
		confine.Writable = append(slices.Clone(confine.Writable), d.folders(k, b)...)
	}
	return backend.Program{
		Backend: name, Path: path, Args: b.Command[1:], Dir: o.Dir, Env: env, Secrets: secrets, Confine: confine, Spawner: d.Spawner,
		Log: func(line string) { d.Log.Debug("a back end writes", "backend", name, "line", line) },
	}, nil
}

// folders returns the folders of its own that an agent may write, as far as they exist.
func (d *Drivers) folders(k kind.Kind, b config.BackendSettings) (all []string) {
	candidates := b.State
	if candidates == nil {
		for _, name := range k.State {
			candidates = append(candidates, filepath.Join(d.Getenv("HOME"), name))
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

// environ returns the environment of an agent, and the values in it that are secrets.
func (d *Drivers) environ(b config.BackendSettings) (env, secrets []string) {
	add := func(name string) string {
		value := d.Getenv(name)
		if value != "" {
			env = append(env, name+"="+value)
		}
		return value
	}
	for _, name := range variables {
		add(name)
	}
	for _, entry := range os.Environ() {
		if strings.HasPrefix(entry, "LC_") {
			env = append(env, entry)
		}
	}
	for _, name := range b.PassEnv {
		secrets = append(secrets, add(name))
	}
	for name, value := range b.Env {
		env = slices.DeleteFunc(env, func(entry string) bool { return strings.HasPrefix(entry, name+"=") })
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env, secrets
}

// lookPath finds a program on the absolute folders of PATH: never in the folder of a project.
func lookPath(command, path string) (string, error) {
	if filepath.IsAbs(command) {
		return command, nil
	}
	for _, dir := range filepath.SplitList(path) {
		candidate := filepath.Join(dir, command)
		info, err := os.Stat(candidate)
		if filepath.IsAbs(dir) && err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0 {
			return candidate, nil
		}
	}
	return "", fmt.Errorf("the program %s was not found on PATH", command)
}
