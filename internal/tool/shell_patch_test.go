package tool

import (
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/shell"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestPatchWrapped reads patches with what models put around them.
func TestPatchWrapped(t *testing.T) {
	const bare = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"
	for _, text := range []string{
		bare, "\n" + bare + "\n\n", strings.TrimSuffix(bare, "\n*** End Patch"),
		"```\n" + bare + "\n```", "```diff\n" + bare + "\n```\n",
		"cat <<'EOF'\n" + bare + "\nEOF", "apply_patch <<EOF\n" + bare + "\nEOF\n", "<<\"PATCH\"\n" + bare + "\nPATCH",
		"```bash\napply_patch <<'EOF'\n" + bare + "\nEOF\n```",
	} {
		w := workspacetest.New(t, map[string]string{"f": "a\n"})
		if r := runTool(t, w, Patch(), in{"input": text}); r.IsError || fileText(t, w.Dir()+"/f") != "b\n" {
			t.Errorf("%q: %s", text, r.Text)
		}
	}
}

// TestShellPatch: a command that does nothing but apply a patch is approved and run as the patch; what
// does more is a command.
func TestShellPatch(t *testing.T) {
	const bare = "*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** End Patch"
	for command, want := range map[string]approval.Level{
		"apply_patch <<'EOF'\n" + bare + "\nEOF":               approval.Write,
		"applypatch << \"EOF\"\n" + bare + "\nEOF\n":           approval.Write,
		"apply_patch <<EOF\n" + bare + "\nEOF":                 approval.Write,
		"apply_patch '" + bare + "'":                           approval.Write,
		"cd . && apply_patch <<'EOF'\n" + bare + "\nEOF":       approval.Write,
		"cd '.' && apply_patch '" + bare + "'":                 approval.Write,
		"cd . ; apply_patch <<'EOF'\n" + bare + "\nEOF":        approval.Execute,
		"cd $HOME && apply_patch <<'EOF'\n" + bare + "\nEOF":   approval.Execute,
		"cd - && apply_patch <<'EOF'\n" + bare + "\nEOF":       approval.Execute,
		"cd ~x && apply_patch <<'EOF'\n" + bare + "\nEOF":      approval.Execute,
		"cd \"`x`\" && apply_patch <<'EOF'\n" + bare + "\nEOF": approval.Execute,
		"apply_patch <<'EOF'\n" + bare + "\nEOF\nrm -r x":      approval.Execute,
		"apply_patch <<'EOF'\n" + bare + "\nEOF\nrm -r x\nEOF": approval.Execute,
		"rm -r x; apply_patch <<'EOF'\n" + bare + "\nEOF":      approval.Execute,
		"apply_patch <<EOF\n" + bare + "$(rm -r x)\nEOF":       approval.Execute,
		"apply_patch \"" + bare + "$(rm -r x)\"":               approval.Execute,
		"cat <<'EOF'\n" + bare + "\nEOF":                       approval.Execute,
		"apply_patch <<'EOF'\nx\nEOF":                          approval.Execute,
	} {
		w := workspacetest.New(t, map[string]string{"f": "a\n"})
		call, err := prepareTool(t, w, Shell(), in{"command": command})
		if err != nil {
			t.Fatalf("%q: %v", command, err)
		}
		if got := call.Request().Level; got != want {
			t.Errorf("%q: level %v, want %v", command, got, want)
			continue
		}
		if want != approval.Write {
			continue
		}
		r := call.Run(t.Context(), Hooks{})
		if r.IsError || r.Shell == nil || r.Shell.ExitCode != 0 || len(r.Changes) != 1 || fileText(t, w.Dir()+"/f") != "b\n" {
			t.Errorf("%q: %+v", command, r)
		}
	}
}

// TestShellPatchIn: the paths of a patch in a command begin at the folder that the command works in, and the
// next command of a persistent shell begins there.
func TestShellPatchIn(t *testing.T) {
	const patch = "apply_patch <<'EOF'\n*** Begin Patch\n*** Update File: f\n@@\n-a\n+b\n*** Add File: ~/new\n+n\n*** Delete File: x/../gone\n*** End Patch\nEOF"
	for _, test := range []struct {
		in                in
		dir, next, failed string
	}{
		{in: in{"command": "cd sub/deep && " + patch}, dir: "", next: "sub/deep"},
		{in: in{"command": "cd \"deep\" && " + patch, "dir": "sub"}, dir: "sub", next: "sub/deep"},
		{in: in{"command": patch, "dir": "sub/deep"}, dir: "sub/deep", next: "sub/deep"},
		{in: in{"command": "cd nowhere && " + patch}, failed: "does not exist"},
	} {
		t.Setenv("HOME", workspacetest.TempDir(t))
		w := workspacetest.New(t, map[string]string{"sub/deep/f": "a\n", "sub/deep/gone": "", "sub/deep/x/": ""})
		env := &Env{Workspace: w, Shell: shell.NewState()}
		call, err := prepareIn(t, env, Shell(), test.in)
		if err != nil {
			if test.failed == "" || !strings.Contains(err.Error(), test.failed) {
				t.Errorf("%v: %v", test.in, err)
			}
			continue
		}
		changes, err := call.(Proposer).Propose(t.Context(), ClientFiles{})
		if err != nil || len(changes) != 3 || changes[0].Path != "sub/deep/f" {
			t.Errorf("%v: proposes %v, %v", test.in, changes, err)
		}
		r := call.Run(t.Context(), Hooks{})
		if r.IsError || fileText(t, w.Dir()+"/sub/deep/f") != "b\n" || r.Shell.Dir != filepath.Join(w.Dir(), test.dir) || r.Shell.NextDir != filepath.Join(w.Dir(), test.next) {
			t.Errorf("%v: %s, %+v", test.in, r.Text, r.Shell)
		}
		if dir := env.Shell.Dir(); dir != filepath.Join(w.Dir(), test.next) {
			t.Errorf("%v: the next command begins in %s", test.in, dir)
		}
	}
}
