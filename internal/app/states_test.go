package app

import (
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestStateFolders: whatever a flag sets, the state folders that other processes of the user have are hidden and protected, with their
// copies, as is a store of the configuration.
func TestStateFolders(t *testing.T) {
	home := workspacetest.TempDir(t)
	in := func(names ...string) (paths []string) {
		for _, name := range names {
			paths = append(paths, filepath.Join(home, filepath.FromSlash(name)))
		}
		return paths
	}
	for _, row := range []struct {
		name   string
		env    []string // after HOME
		set    func(s *config.Config)
		hidden []string // below home
		stores []string
		trees  string
	}{
		{name: "nothing is set", hidden: []string{".local/state/parley"}, trees: ".local/state/parley.trees"},
		{
			name: "the environment", env: []string{"PARLEY_HOME", in("other")[0]},
			hidden: []string{"other", ".local/state/parley"}, trees: "other.trees",
		},
		{
			name: "the environment, and XDG", env: []string{"PARLEY_HOME", in("other")[0], "XDG_STATE_HOME", in("xdg")[0]},
			hidden: []string{"other", "xdg/parley", ".local/state/parley"}, trees: "other.trees",
		},
		{
			name: "a flag", set: func(s *config.Config) { s.Home = in("flag")[0] },
			hidden: []string{"flag", ".local/state/parley"}, trees: "flag.trees",
		},
		{
			name: "a flag and the environment", env: []string{"PARLEY_HOME", in("other")[0]}, set: func(s *config.Config) { s.Home = in("flag")[0] },
			hidden: []string{"flag", "other", ".local/state/parley"}, trees: "flag.trees",
		},
		{
			name: "a temporary one", env: []string{"PARLEY_STORE", "file:" + in("store")[0]},
			set: func(s *config.Config) {
				s.Home, s.StoreSettings = in(".local/state/parley/tmp/parley-own-1/state-1")[0], config.StoreSettings{}
			},
			hidden: []string{".local/state/parley/tmp/parley-own-1/state-1", ".local/state/parley"}, stores: []string{"store"}, trees: ".local/state/parley.trees",
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			getenv := configtest.Environment(append([]string{"HOME", home, "PARLEY_CONFIG", filepath.Join(home, "config.jsonc")}, row.env...)...)
			settings, err := config.Load(getenv)
			if err != nil {
				t.Fatal(err)
			}
			if row.set != nil {
				row.set(&settings)
			}
			a := &App{Settings: settings, getenv: getenv}
			hidden, _ := a.hidden()
			for _, path := range in(append(row.stores, row.hidden...)...) {
				if !slices.Contains(hidden, path) {
					t.Errorf("%s is not hidden: %q", path, hidden)
				}
			}
			if len(hidden) != len(row.hidden)+len(row.stores) {
				t.Errorf("hidden are %q", hidden)
			}
			protected := a.private(home)
			want := in(append(row.stores, row.hidden...)...)
			for _, path := range in(row.hidden...) {
				want = append(want, path+treesSuffix, path+batchSuffix)
			}
			for _, path := range want {
				if !slices.Contains(protected, path) {
					t.Errorf("%s is not protected: %q", path, protected)
				}
			}
			if got := a.TreesFolder(); got != in(row.trees)[0] {
				t.Errorf("copies are in %s", got)
			}
		})
	}
}
