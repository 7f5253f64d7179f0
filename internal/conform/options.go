package conform

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// Options are how a program is started and checked. In Command, Env and the files of Home, {base_url}, {openai_url}, {key}, {model}, {home},
// {work}, {prompt} and, for clients, {server} are replaced.
type Options struct {
	Command []string
	Env     []string // NAME=value, added to the environment
	Home    string   // a folder whose files are copied to the home folder of each case; "": the home folder is empty
	Self    string   // the path of this program, for {server}

	Limit    time.Duration // for the dialogue of a case
	EndLimit time.Duration // for the end of the program after the end of its input
	Parallel int           // cases at the same time; 0: 1
}

// Prompt is the text that clients should send.
const Prompt = "Say hello, then run the command."

const (
	socketName = "s"
	serverWord = "{server}"
)

// passed are variables that a program gets from our environment. Others, such as keys, stay out.
var passed = []string{"PATH", "LANG", "LC_ALL", "TERM", "USER", "LOGNAME", "SHELL", "TZ", "SystemRoot", "ComSpec", "PATHEXT"}

// Check returns an error if the command cannot be started, or a setting is none.
func (o Options) Check() error {
	if strings.Contains(o.Command[0], "{") {
		return nil
	}
	if _, err := exec.LookPath(o.Command[0]); err != nil {
		return fmt.Errorf("%s is not a program: %w", o.Command[0], err)
	}
	for _, setting := range o.Env {
		if name, _, ok := strings.Cut(setting, "="); !ok || name == "" {
			return fmt.Errorf("the variable %q is not NAME=VALUE", setting)
		}
	}
	return nil
}

// serverScript returns the path of the program that is the server for a client.
func serverScript(p place) string { return filepath.Join(p.root, "server") }

// attaches reports whether the command starts its server itself.
func (o Options) attaches() bool {
	has := func(text string) bool { return strings.Contains(text, serverWord) }
	return slices.ContainsFunc(o.Command, has) || slices.ContainsFunc(o.Env, has) || o.Home != "" && o.homeAttaches()
}

// homeAttaches reports whether a file of the home folder names the server.
func (o Options) homeAttaches() bool {
	found := false
	_ = filepath.WalkDir(o.Home, func(path string, d os.DirEntry, err error) error { // copyHome returns its errors
		if err == nil && d.Type().IsRegular() {
			text, _ := os.ReadFile(path)
			found = found || strings.Contains(string(text), serverWord)
		}
		return nil
	})
	return found
}

// filler returns what replaces the placeholders of one case.
func (o Options) filler(p place, m *modelServer) *strings.Replacer {
	return strings.NewReplacer("{base_url}", m.url, "{openai_url}", m.url+"/v1", "{key}", ModelKey, "{model}", ModelName,
		"{home}", p.home, "{work}", p.work, "{prompt}", Prompt, serverWord, serverScript(p))
}

// environment returns the environment of the command.
func (o Options) environment(p place, fill *strings.Replacer) []string {
	var env []string
	for _, name := range passed {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	env = append(env, "HOME="+p.home, "USERPROFILE="+p.home, "TMPDIR="+filepath.Join(p.root, "tmp"),
		fill.Replace("OPENAI_API_KEY={key}"), fill.Replace("OPENAI_BASE_URL={openai_url}"),
		fill.Replace("ANTHROPIC_API_KEY={key}"), fill.Replace("ANTHROPIC_BASE_URL={base_url}"),
		"PARLEY_HOME="+filepath.Join(p.home, ".parley"), fill.Replace("PARLEY_MODEL=openai/{model}"))
	for _, setting := range o.Env {
		env = append(env, fill.Replace(setting))
	}
	return env
}

// makePlace makes the folders of a case, and the files of its home folder.
func (o Options) makePlace(root string) (place, error) {
	root, err := filepath.EvalSymlinks(root)
	if err != nil {
		return place{}, err
	}
	p := place{root: root, home: filepath.Join(root, "home"), work: filepath.Join(root, "work")}
	for _, dir := range []string{p.home, p.work, filepath.Join(root, "tmp")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			return p, err
		}
	}
	return p, nil
}

// copyHome copies the files of the home folder, with their placeholders replaced.
func (o Options) copyHome(p place, fill *strings.Replacer) error {
	if o.Home == "" {
		return nil
	}
	return filepath.WalkDir(o.Home, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(o.Home, path)
		if err != nil {
			return err
		}
		target := filepath.Join(p.home, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o700)
		case !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		return os.WriteFile(target, []byte(fill.Replace(string(text))), 0o600)
	})
}
