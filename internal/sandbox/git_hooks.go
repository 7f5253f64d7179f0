package sandbox

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// HookFolders returns the folders from which git runs hooks in the working tree top, in addition
// to the one in its .git: the values of core.hooksPath in the configuration of the repository, the
// user and the system. All values count, not only the last. Paths are absolute, with symbolic
// links resolved as far as they exist. Values in included files are not found. A folder that
// contains top is left out.
func HookFolders(top string) (folders []string) {
	home, _ := os.UserHomeDir()
	for _, config := range gitConfigs(top, home) {
		for _, value := range hooksPaths(readPrefix(config)) {
			folder := value
			if rest, ok := strings.CutPrefix(value, "~/"); ok && home != "" {
				folder = filepath.Join(home, rest)
			}
			folder = absolute(folder, top)
			if filepath.Base(folder) == "_" { // of husky: its hooks run those in the folder above
				folder = filepath.Dir(folder)
			}
			link := filepath.Join(resolveExisting(filepath.Dir(folder)), filepath.Base(folder))
			for _, folder := range []string{link, resolveExisting(folder)} {
				if !within(top, folder) && !slices.Contains(folders, folder) {
					folders = append(folders, folder)
				}
			}
		}
	}
	return folders
}

// HooksOf returns the HookFolders of the working trees that contain path.
func HooksOf(path string) (folders []string) {
	for dir := path; ; dir = filepath.Dir(dir) {
		if _, err := os.Lstat(filepath.Join(dir, gitName)); err == nil {
			folders = append(folders, HookFolders(dir)...)
		}
		if dir == filepath.Dir(dir) {
			return folders
		}
	}
}

// gitConfigs returns the files from which git reads its settings in the working tree top.
func gitConfigs(top, home string) []string {
	git := filepath.Join(top, gitName)
	var configs []string
	for _, folder := range append(gitFolders(git), git) {
		configs = append(configs, filepath.Join(folder, "config"), filepath.Join(folder, "config.worktree"))
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		configs = append(configs, global)
	} else if home != "" {
		configs = append(configs, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
		if base := os.Getenv("XDG_CONFIG_HOME"); base != "" {
			configs = append(configs, filepath.Join(base, "git", "config"))
		}
	}
	return append(configs, "/etc/gitconfig")
}

// hooksPaths returns the values of core.hooksPath in the text of a git configuration.
func hooksPaths(text string) (values []string) {
	section := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "["); ok {
			name, after, _ := strings.Cut(rest, "]")
			section, line = strings.ToLower(strings.TrimSpace(name)), strings.TrimSpace(after)
		}
		key, value, ok := strings.Cut(line, "=")
		if !ok || section != "core" || !strings.EqualFold(strings.TrimSpace(key), "hookspath") {
			continue
		}
		if value = configValue(strings.TrimSpace(value)); value != "" {
			values = append(values, value)
		}
	}
	return values
}

// configValue parses a value as git does: it removes quotes and comments, and resolves escapes.
func configValue(text string) string {
	var b strings.Builder
	quoted := false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '"':
			quoted = !quoted
		case c == '\\' && i+1 < len(text):
			i++
			b.WriteByte(text[i])
		case !quoted && (c == '#' || c == ';'):
			return strings.TrimSpace(b.String())
		default:
			b.WriteByte(c)
		}
	}
	return strings.TrimSpace(b.String())
}

// resolveExisting resolves the symbolic links in the part of path that exists.
func resolveExisting(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	parent := filepath.Dir(path)
	if parent == path {
		return path
	}
	return filepath.Join(resolveExisting(parent), filepath.Base(path))
}
