package workspace

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/sandbox"
)

// startupFiles and startupFolders are what shells, sessions, editors, git, ssh and other
// programs of the user read commands or access rights from when they start, below the home
// folder: whatever can write them runs commands as the user. They are read-only where the
// home folder is in the workspace.
var (
	startupFiles = lazy.Value[[]string]{New: func() []string {
		return strings.Fields(`
		.bashrc .bash_profile .bash_login .bash_logout .bash_aliases .profile .inputrc
		.zshrc .zshenv .zprofile .zlogin .zlogout .kshrc .mkshrc .cshrc .tcshrc .login .logout .envrc
		.xprofile .xinitrc .xsession .xsessionrc .xserverrc .pam_environment
		.gitconfig .hgrc .netrc .npmrc .yarnrc .yarnrc.yml .pypirc .curlrc .wgetrc .condarc .gemrc .my.cnf .psqlrc .pgpass
		.vimrc .gvimrc .exrc .emacs .nanorc .tmux.conf .screenrc .gdbinit .lldbinit .lesskey .rhosts .forward
		.fzf.bash .fzf.zsh .nvm/nvm.sh .nvm/bash_completion .bunfig.toml .Rprofile .Renviron .irbrc .pryrc
		.cargo/config .cargo/config.toml .cargo/env .codex/config.toml
		.config/Code/User/settings.json .config/Code/User/tasks.json .config/VSCodium/User/settings.json .pip/pip.conf
	`)
	}}
	startupFolders = lazy.Value[[]string]{New: func() []string {
		return strings.Fields(`
		.ssh .gnupg .aws .azure .kube .docker .vim .emacs.d .zsh .oh-my-zsh bin .local/bin .cargo/bin go/bin .npm-global
		.config/fish .config/git .config/autostart .config/systemd .config/environment.d .config/plasma-workspace .config/gcloud .config/gh
		.config/nvim .config/vim .config/emacs .config/tmux .config/direnv .config/mise .config/nushell .config/zsh .config/bash
		.local/share/applications .local/share/systemd Library/LaunchAgents
		.config/powershell .config/i3 .config/sway .config/hypr .config/pip .config/uv .kde/Autostart .kde4/Autostart
		.local/lib .pyenv/shims .rbenv/shims .asdf/shims .local/share/mise/shims
	`)
	}}
	// startupFormats are files that programs refuse if they are empty, or in folders that they create themselves. A command
	// cannot change them where they exist.
	startupFormats = lazy.Value[[]string]{New: func() []string {
		return strings.Fields(`.m2/settings.xml .m2/extensions.xml .gradle/init.gradle .gradle/init.gradle.kts .gradle/gradle.properties .claude/settings.json .claude/settings.local.json .gemini/settings.json`)
	}}
)

// startupPaths are the start-up files and folders of a home folder, and what they lead to
// where they are links: absolute, without symlinks.
type startupPaths struct{ files, folders, formats []string }

// lastStartup is what was found last. Workspaces share it as long as nothing has changed.
var lastStartup struct {
	sync.Mutex
	paths *startupPaths
}

// startupPaths returns the start-up files and folders of the user. It looks for them when they
// are needed first: a session that only waits reads a hundred paths less, and has no copy.
func (w *Workspace) startupPaths() *startupPaths {
	w.startupOnce.Do(func() {
		found := &startupPaths{}
		if w.startupHome != "" {
			found.files, found.folders = inHome(w.startupHome, startupFiles.Get()), inHome(w.startupHome, startupFolders.Get())
			found.formats = inHome(w.startupHome, startupFormats.Get())
		}
		lastStartup.Lock()
		defer lastStartup.Unlock()
		if last := lastStartup.paths; last == nil || !slices.Equal(last.files, found.files) || !slices.Equal(last.folders, found.folders) ||
			!slices.Equal(last.formats, found.formats) {
			lastStartup.paths = found
		}
		w.startup = lastStartup.paths
	})
	return w.startup
}

// Protected returns the files and folders that commands must not change, though they may lie in the
// workspace: start-up files of the user, and the paths that were given to Open and ProtectFiles.
func (w *Workspace) Protected() (files, folders []string) {
	startup := w.startupPaths()
	files = slices.Concat(w.protectedFiles, startup.files)
	for _, path := range startup.formats {
		if _, err := os.Lstat(path); err == nil {
			files = append(files, path)
		}
	}
	return files, slices.Concat(w.protected, startup.folders)
}

// inHome returns the paths of names below home, and what they lead to where they are links.
func inHome(home string, names []string) (paths []string) {
	for _, name := range names {
		folder := home // it is real
		if dir := filepath.Dir(name); dir != "." {
			var err error
			if folder, err = RealPath(filepath.Join(home, dir)); err != nil {
				continue
			}
		}
		path := filepath.Join(folder, filepath.Base(name))
		paths = append(paths, path)
		if target, err := LinkTarget(path); err != nil || target == "" {
			continue
		}
		if real, err := RealPath(path); err == nil && real != path {
			paths = append(paths, real)
		}
	}
	return paths
}

// guards reports whether real may only be written once that is approved: it is a start-up
// file of the user, or git runs it as a hook.
func (w *Workspace) guards(real string) bool {
	startup := w.startupPaths()
	for _, paths := range [][]string{startup.files, startup.folders, startup.formats, sandbox.HooksOf(real)} {
		for _, path := range paths {
			if Below(path, real) {
				return true
			}
		}
	}
	return false
}

// Home returns the user's home folder, without symlinks; "" if there is none.
func (w *Workspace) Home() string { return w.home }

// InHome reports whether the workspace has the user's home folder in it, or is it.
func (w *Workspace) InHome() bool { return w.home != "" && Below(w.dir, w.home) }
