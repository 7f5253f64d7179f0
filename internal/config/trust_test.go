package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/config/configtest"
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
		s := Settings{TrustedFolders: c.trusted}
		if got := s.Trusts(c.dir); got != c.want {
			t.Errorf("with %v %s is trusted: %t", c.trusted, c.dir, got)
		}
	}
}

func TestTrustedFoldersAreRead(t *testing.T) {
	path := configtest.File(t, `{"trusted_folders": ["~/code", "/srv"]}`)
	s, err := Load(configtest.Environment("PARLEY_CONFIG", path))
	if want := []string{"~/code", "/srv"}; err != nil || !slices.Equal(s.TrustedFolders, want) {
		t.Errorf("the file gives %v, %v", s.TrustedFolders, err)
	}
	s, err = Load(configtest.Environment("PARLEY_CONFIG", path, "PARLEY_TRUSTED_FOLDERS", "/a:/b:"))
	if want := []string{"/a", "/b"}; err != nil || !slices.Equal(s.TrustedFolders, want) {
		t.Errorf("the environment gives %v, %v", s.TrustedFolders, err)
	}
	if _, err = Load(configtest.Environment("PARLEY_CONFIG", path, "PARLEY_TRUSTED_FOLDERS", "code")); err == nil || !strings.Contains(err.Error(), `"code" is neither absolute`) {
		t.Errorf("a relative folder gives %v", err)
	}
}
