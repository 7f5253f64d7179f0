package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/dialect/pisces"
)

// TestTrusts: a folder is trusted that is named, or below one that is; links count as what they
// lead to, in both places.
func TestTrusts(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	root := t.TempDir()
	for _, folder := range []string{"work/shop/src", "workbench", "else"} {
		if err := os.MkdirAll(filepath.Join(root, folder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Join(home, "code", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	for link, to := range map[string]string{"into": "work/shop", "work/out": "../else"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	in := func(path string) string { return filepath.Join(root, path) }
	for _, c := range []struct {
		trusted []string
		dir     string
		want    bool
	}{
		{nil, in("work"), false},
		{[]string{in("work")}, in("work"), true},
		{[]string{in("work") + "/"}, in("work/shop/src"), true},
		{[]string{in("work")}, in("workbench"), false},
		{[]string{in("work/shop")}, in("work"), false},
		{[]string{in("work")}, in("into"), true},
		{[]string{in("into")}, in("work/shop/src"), true},
		{[]string{in("work")}, in("work/out"), false},
		{[]string{in("else"), in("work")}, in("work/out"), true},
		{[]string{in("gone")}, in("work"), false},
		{[]string{in("work")}, in("work/gone"), false},
		{[]string{"~/code"}, filepath.Join(home, "code", "x"), true},
		{[]string{"~"}, filepath.Join(home, "code"), true},
		{[]string{"~/code"}, home, false},
		{[]string{"/"}, in("else"), true},
	} {
		a := &app{settings: loaded{Settings: Settings{TrustedFolders: c.trusted}}}
		if got := a.trusts(c.dir); got != c.want {
			t.Errorf("with %v %s is trusted: %t", c.trusted, c.dir, got)
		}
	}
}

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
		app := &app{settings: loaded{Settings: Settings{TrustedFolders: c.trusted}}}
		got := app.chooseExtensions(flags, c.asked, settings)
		if show(got.modules) != c.modules || show(got.missing) != c.missing || show(got.refused) != c.refused {
			t.Errorf("trusting %v and asked for %v: %s | %s | %s", c.trusted, c.asked, show(got.modules), show(got.missing), show(got.refused))
		}
	}
}

func TestTrustedFoldersAreRead(t *testing.T) {
	path := writeSettings(t, `{"trusted_folders": ["~/code", "/srv"]}`)
	s, err := loadSettings(environment("PARLEY_CONFIG", path))
	if want := []string{"~/code", "/srv"}; err != nil || !slices.Equal(s.TrustedFolders, want) {
		t.Errorf("the file gives %v, %v", s.TrustedFolders, err)
	}
	s, err = loadSettings(environment("PARLEY_CONFIG", path, "PARLEY_TRUSTED_FOLDERS", "/a:/b:"))
	if want := []string{"/a", "/b"}; err != nil || !slices.Equal(s.TrustedFolders, want) {
		t.Errorf("the environment gives %v, %v", s.TrustedFolders, err)
	}
	if _, err = loadSettings(environment("PARLEY_CONFIG", path, "PARLEY_TRUSTED_FOLDERS", "code")); err == nil || !strings.Contains(err.Error(), `"code" is neither absolute`) {
		t.Errorf("a relative folder gives %v", err)
	}
}
