package drivers

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/backend/kind"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/sandbox"
)

// stateDrivers have a home folder that is empty.
func stateDrivers(t *testing.T) (d *Drivers, home string) {
	t.Helper()
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return &Drivers{Getenv: func(name string) string { return map[string]string{"HOME": home}[name] }}, home
}

// TestState: an agent that is known has its own folders, which are made in a new home folder, and no others.
func TestState(t *testing.T) {
	for _, test := range []struct {
		kind    string
		command []string
		confine kind.Confine
		want    []string
	}{
		{"codex", []string{"codex", "app-server"}, kind.Outer, []string{".codex"}},
		{"codex", []string{"codex", "app-server"}, kind.Inner, nil},
		{"pi", []string{"omp"}, kind.Outer, []string{".pi", ".pi/agent"}},
		{"acp:claude", []string{"npx", "-y", "@agentclientprotocol/claude-agent-acp@0.101.0"}, kind.Outer, []string{".claude", ".claude.json"}},
		{"acp:oc", []string{"/opt/bin/opencode", "acp"}, kind.Outer, []string{".local/share/opencode", ".config/opencode", ".local/state/opencode", ".cache/opencode"}},
		{"acp:other", []string{"spider", "acp"}, kind.Outer, nil},
	} {
		d, home := stateDrivers(t)
		k, _ := kind.Of(test.kind)
		p, err := d.confine(k, config.BackendSettings{Command: test.command, Confine: test.confine}, "", sandbox.Policy{Level: sandbox.WorkspaceWrite})
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, name := range test.want {
			want = append(want, filepath.Join(home, name))
		}
		if diff := cmp.Diff(want, p.Writable); diff != "" {
			t.Errorf("%s %q (-want +got):\n%s", test.kind, test.command, diff)
		}
		for _, path := range want {
			if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
				t.Errorf("%s: %v, %v", path, info, err)
			}
		}
		if entries, err := os.ReadDir(home); err != nil || len(test.want) == 0 && len(entries) > 0 {
			t.Errorf("%s %q: the home folder has %v, %v", test.kind, test.command, entries, err)
		}
	}
}

// TestMissingCredentials: an agent can make the files of its own state that a session protects before they exist, and only those.
func TestMissingCredentials(t *testing.T) {
	d, home := stateDrivers(t)
	in := func(name string) string { return filepath.Join(home, name) }
	if err := os.MkdirAll(in(".pi/agent"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in(".pi/agent/auth.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	k, _ := kind.Of("codex")
	session := sandbox.Policy{Level: sandbox.WorkspaceWrite, ProtectedFiles: []string{in(".codex/auth.json"), in(".loaf/auth.json"), in(".pi/agent/auth.json")}}
	p, err := d.confine(k, config.BackendSettings{Command: []string{"codex"}, Confine: kind.Outer}, "", session)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{in(".loaf/auth.json"), in(".pi/agent/auth.json")}, p.ProtectedFiles); diff != "" {
		t.Errorf("protected files (-want +got):\n%s", diff)
	}
}

// TestStartup: what an agent executes when it starts is closed to it, where there is a folder that can have it.
func TestStartup(t *testing.T) {
	d, home := stateDrivers(t)
	dir := filepath.Join(home, "project")
	for _, path := range []string{".pi/agent", "project/.pi"} {
		if err := os.MkdirAll(filepath.Join(home, path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{".pi/agent/models.json", "project/.pi/settings.json"} {
		if err := os.WriteFile(filepath.Join(home, path), []byte("{}"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(dir, filepath.Join(home, ".pi/agent/skills")); err != nil {
		t.Fatal(err)
	}
	k, _ := kind.Of("pi")
	b := config.BackendSettings{Command: []string{"pi"}, Confine: kind.Outer}
	p, err := d.confine(k, b, dir, sandbox.Policy{Level: sandbox.WorkspaceWrite, Protected: []string{"/closed"}})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{filepath.Join(home, ".pi/agent/models.json"), filepath.Join(home, "project/.pi/settings.json")}; !slices.Equal(p.ProtectedFiles, want) {
		t.Errorf("files %q, want %q", p.ProtectedFiles, want)
	}
	for _, want := range []string{"/closed", home + "/.pi/agent/extensions", home + "/project/.pi/extensions", home + "/.pi/agent/skills", dir} {
		if !slices.Contains(p.Protected, want) {
			t.Errorf("%s is not closed: %q", want, p.Protected)
		}
	}
	b.State = []string{"~/.pi"}
	if p, err = d.confine(k, b, dir, sandbox.Policy{Level: sandbox.WorkspaceWrite}); err != nil || slices.Contains(p.Protected, home+"/.pi/agent/extensions") {
		t.Errorf("with folders of the user: %q, %v", p.Protected, err)
	}
}

// TestOwnRules: an agent whose own rules count first says so.
func TestOwnRules(t *testing.T) {
	for approvals, want := range map[string]bool{"": false, config.ApprovalsAsk: false, config.ApprovalsAgent: true} {
		info := watchedAgent{fakeAgent{}, watched{settings: config.BackendSettings{Approvals: approvals}}, sandbox.Policy{}}.Info()
		if info.OwnRules != want {
			t.Errorf("approvals %q: own rules %v", approvals, info.OwnRules)
		}
	}
}
