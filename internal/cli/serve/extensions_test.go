package serve

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/dialect/pisces"
)

// TestChooseExtensions: what runs, in which order, and what is refused, in a project that is
// trusted and in one that is not.
func TestChooseExtensions(t *testing.T) {
	root := t.TempDir()
	flags := pisces.Flags{Cwd: filepath.Join(root, "shop"), Agent: filepath.Join(root, "agent"), Project: ".pisces"}
	for path, text := range map[string]string{
		"shop/.pisces/extensions/a.js":       "",
		"shop/.pisces/extensions/b/index.js": "",
		"shop/.pisces/settings.json":         `{"extensions": ["more.js", "gone.js"]}`,
		"shop/more.js":                       "",
		"agent/extensions/own.js":            "",
		"agent/config.yml":                   "extensions: [rest.js, ../shop/.pisces/extensions/a.js]",
		"agent/rest.js":                      "",
		"shop/rest.js":                       "",
	} {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	settings := pisces.ReadSettings(pisces.SettingsFiles{Agent: flags.Agent, Project: filepath.Join(flags.Cwd, flags.Project)}, nil)
	show := func(paths []string) string {
		var all []string
		for _, path := range paths {
			below, _ := filepath.Rel(root, path)
			all = append(all, below)
		}
		return strings.Join(all, " ")
	}
	const a, b, more = "shop/.pisces/extensions/a.js", "shop/.pisces/extensions/b/index.js", "shop/more.js"
	for _, c := range []struct {
		trusted, asked                 []string
		modules, missing, refused, has string
	}{
		{nil, nil, "agent/extensions/own.js agent/rest.js " + a, "shop/gone.js", b + " " + more, ""},
		{[]string{root}, nil, a + " " + b + " agent/extensions/own.js agent/rest.js " + more, "shop/gone.js", "", ""},
		{nil, []string{"more.js", ".pisces/extensions/b"}, "agent/extensions/own.js " + more + " " + b + " agent/rest.js " + a, "shop/gone.js", "", ""},
	} {
		a := &app.App{Settings: config.Config{Settings: config.Settings{TrustedFolders: c.trusted}}}
		got := chooseExtensions(a, flags, c.asked, settings)
		if show(got.modules) != c.modules || show(got.missing) != c.missing || show(got.refused) != c.refused {
			t.Errorf("trusting %v and asked for %v: %s | %s | %s", c.trusted, c.asked, show(got.modules), show(got.missing), show(got.refused))
		}
	}
}
