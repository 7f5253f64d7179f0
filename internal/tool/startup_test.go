package tool

import (
	"path/filepath"
	"slices"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspace"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestStartupFiles: where the home folder is the workspace, its start-up files are read like
// any other, and written only once that is approved; so are the hooks of a repository.
func TestStartupFiles(t *testing.T) {
	home := workspacetest.TempDir(t)
	t.Setenv("HOME", home)
	workspacetest.Lay(t, home, map[string]string{
		".bashrc": "-> dotfiles/bashrc", "dotfiles/bashrc": "x", ".gitconfig": "[core]\nhooksPath = ~/hooks\n",
		"work/.git/config": "[core]\nhooksPath = .husky/_\n", "work/.git/HEAD": "x", "work/.husky/pre-commit": "x",
		".claude/settings.json": "{}",
	})
	w, err := workspace.Open(home)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	for path, guarded := range map[string]bool{
		".bashrc": true, "dotfiles/bashrc": true, ".zshenv": true, ".ssh/authorized_keys": true, ".config/fish/conf.d/x.fish": true,
		".local/bin/ls": true, "work/.husky/pre-commit": true, "work/.husky/_/pre-push": true, "work/.git/hooks/x": true, "work/hooks/x": false,
		".config/powershell/profile.ps1": true, ".nvm/nvm.sh": true, ".fzf.bash": true, ".config/i3/config": true, ".config/sway/config": true,
		".kde/Autostart/x": true, ".config/Code/User/settings.json": true, ".cargo/config.toml": true, ".config/pip/pip.conf": true, ".gradle/init.gradle": true,
		".m2/settings.xml": true, ".config/uv/uv.toml": true, ".bunfig.toml": true, ".local/lib/python3.12/site-packages/x.pth": true, ".Rprofile": true,
		".irbrc": true, ".pyenv/shims/python": true, ".claude/settings.json": true, ".codex/config.toml": true, ".m2/repository/x": false, ".nvm/versions/x": false,
		"notes": false, ".config/other": false, ".cache/x": false, "work/src/main.c": false,
	} {
		write, err := w.Resolve(path, true)
		if err != nil {
			t.Fatal(err)
		}
		read, err := w.Resolve(path, false)
		if err != nil {
			t.Fatal(err)
		}
		if write.Protected != guarded || write.Outside != guarded || read.Outside {
			t.Errorf("%s: to write %+v, to read %+v", path, write, read)
		}
	}
	p, err := (&Env{Workspace: w}).policy(approval.Sandbox{Kind: approval.SandboxWorkspace})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{".bashrc", "dotfiles/bashrc", ".zshenv", ".cargo/config.toml", ".claude/settings.json"} {
		if !slices.Contains(p.ProtectedFiles, filepath.Join(home, name)) {
			t.Errorf("commands may write %s", name)
		}
	}
	if slices.Contains(p.ProtectedFiles, filepath.Join(home, ".m2/settings.xml")) {
		t.Error("an empty .m2/settings.xml is put in the place of one that is not there, which no program reads")
	}
	if !slices.Contains(p.Protected, home+"/.ssh") || !w.InHome() {
		t.Errorf("%+v, %v", p, w.InHome())
	}
	inner, err := workspace.Open(filepath.Join(home, "work"))
	if err != nil {
		t.Fatal(err)
	}
	defer inner.Close()
	if inner.InHome() {
		t.Error("a project in the home folder has it in it")
	}
}
