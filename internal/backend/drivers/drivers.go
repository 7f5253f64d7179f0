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

	offers cache
	starts starts
}

// Close ends what was started to know what agents offer.
func (d *Drivers) Close() { d.offers.close() }

// Program returns the path of the program of a back end.
func (d *Drivers) Program(name string) (path string, err error) {
	b, err := d.Settings.FindBackend(name)
	if err != nil {
		return "", err
	}
	return sandbox.LookPath(b.Command[0], d.Getenv("PATH"))
}

// Backend returns the back end of that name.
func (d *Drivers) Backend(name string) (backend.Backend, error) {
	b, err := d.Settings.FindBackend(name)
	if err != nil {
		return nil, err
	}
	k, _ := kind.Of(name)
	newBackend := makers.Get()[k.Name]
	if newBackend == nil {
		return nil, fmt.Errorf("back end %q: no kind of back ends has this name", name)
	}
	o := Options{Name: name, Settings: b, Version: d.Version, Folder: Folder(d.Settings.Home)}
	o.StartLimit, o.Silence = b.Limits()
	o.Program = func(opening backend.Opening) (backend.Program, error) { return d.program(name, b, opening) }
	return watched{newBackend(o), name, b, &d.offers, &d.starts}, nil
}

// Folder returns the folder in a state folder for files of this program that agents load.
func Folder(state string) string { return filepath.Join(state, "backends") }

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
	path, err := sandbox.LookPath(b.Command[0], d.Getenv("PATH"))
	if err != nil {
		return backend.Program{}, err
	}
	k, _ := kind.Of(name)
	env, secrets := d.environ(b)
	confine, err := d.confine(k, b, o.Dir, o.Confine)
	if err != nil {
		return backend.Program{}, err
	}
	return backend.Program{
		Backend: name, Path: path, Args: b.Command[1:], Dir: o.Dir, Env: sandbox.WithVariables(env, o.Variables), Secrets: secrets, Confine: confine, Spawner: d.Spawner,
		Log: func(line string) { d.Log.Debug("a back end writes", "backend", name, "line", line) },
	}, nil
}

// confine returns how the process of an agent is confined whose session has a policy and works in dir. It has the network, which its
// model is requested by.
func (d *Drivers) confine(k kind.Kind, b config.BackendSettings, dir string, session sandbox.Policy) (sandbox.Policy, error) {
	if session.Level == sandbox.Full || b.Confine == kind.Inner || b.Confine == kind.None {
		return sandbox.Policy{Level: sandbox.Full}, nil
	}
	if b.Confine == kind.Strict && !session.Network {
		return sandbox.Policy{}, fmt.Errorf("confine %q: the sandbox of the session has no network, and the process of the agent would have it", kind.Strict)
	}
	p := session
	p.Level = sandbox.WorkspaceWrite // its own state has to be written even where the session may change nothing
	p.Network = true
	own := d.folders(k, b)
	p.Writable = append(slices.Clone(p.Writable), own...)
	files, folders := d.startup(k, b, dir)
	p.ProtectedFiles, p.Protected = append(withoutMissing(p.ProtectedFiles, own), files...), append(slices.Clone(p.Protected), folders...)
	return p, nil
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
	env = sandbox.WithVariables(env, b.Env)
	slices.Sort(env)
	return env, secrets
}
