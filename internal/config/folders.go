package config

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

func setTrusted(s *Settings, v string) error {
	s.TrustedFolders = slices.DeleteFunc(filepath.SplitList(v), func(folder string) bool { return folder == "" })
	return nil
}

// checkFolders returns an error for a folder of a setting that depends on where parley is started.
func checkFolders(setting string, folders []string) error {
	for i, folder := range folders {
		if folder != "~" && !strings.HasPrefix(folder, "~/") && !filepath.IsAbs(folder) {
			return invalid(fmt.Sprintf("%s[%d]", setting, i), fmt.Errorf("%q is neither absolute nor below ~/", folder))
		}
	}
	return nil
}

// Trusts reports whether dir is one of TrustedFolders or below one. What lies there may start programs
// without an approval. Symlinks are followed; a folder that does not exist is not trusted.
func (s Settings) Trusts(dir string) bool {
	dir, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(s.TrustedFolders, func(folder string) bool {
		root, err := filepath.EvalSymlinks(ExpandHome(folder))
		if err != nil {
			return false
		}
		below, err := filepath.Rel(root, dir)
		return err == nil && filepath.IsLocal(below)
	})
}

// ExpandHome returns path with the home folder in the place of a ~ at its begin.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~"); ok && (rest == "" || os.IsPathSeparator(rest[0])) {
		return filepath.Join(HomeDir(os.Getenv), rest)
	}
	return path
}

// Path returns the path of the configuration file: PARLEY_CONFIG, else config.jsonc in Folder.
func Path(getenv func(string) string) string {
	if path := getenv("PARLEY_CONFIG"); path != "" {
		return path
	}
	return filepath.Join(Folder(getenv), "config.jsonc")
}

// Folder returns the folder of the configuration and of what belongs to it, such as the user's AGENTS.md.
func Folder(getenv func(string) string) string {
	return filepath.Join(xdg(getenv, "XDG_CONFIG_HOME", "AppData", ".config"), "parley")
}

func defaultHome(getenv func(string) string) string {
	return filepath.Join(xdg(getenv, "XDG_STATE_HOME", "LocalAppData", filepath.Join(".local", "state")), "parley")
}

// xdg returns a base folder of the XDG specification: the variable's, which counts only if it is absolute,
// else on Windows that of its own variable, else one below the home folder.
func xdg(getenv func(string) string, variable, windows, below string) string {
	if dir := getenv(variable); filepath.IsAbs(dir) {
		return dir
	}
	if dir := getenv(windows); runtime.GOOS == "windows" && filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(HomeDir(getenv), below)
}

// HomeDir returns the user's home folder, or a private folder in the temporary one where there is none, as
// in a bare container.
func HomeDir(getenv func(string) string) string {
	if home := getenv("HOME"); home != "" {
		return home
	}
	if home, err := os.UserHomeDir(); err == nil && home != "" {
		return home
	}
	home, _ := tempHome(getenv)
	return home
}

// tempHome returns the folder in the place of a home folder; temporary is false if there is a home folder.
func tempHome(getenv func(string) string) (home string, temporary bool) {
	user, err := os.UserHomeDir()
	temporary = getenv("HOME") == "" && (err != nil || user == "")
	return filepath.Join(os.TempDir(), fmt.Sprintf("parley-%d", os.Getuid())), temporary
}
