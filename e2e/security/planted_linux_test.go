package security

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// planted is a confined command that leaves files of every kind that a program could open, read as configuration or execute, in all
// folders that it can write: the workspace, TMPDIR and /tmp. What runs without confinement appends to $ROOT/ran, or writes $ROOT/kept.
const planted = `
trap() { printf '#!/bin/sh\necho "%s $0 $*" >>"%s/ran"\n' "$1" "$ROOT"; }
filter() { printf '[filter "e"]\n\tclean = "echo %s >>%s/ran; cat"\n\tsmudge = "echo %s >>%s/ran; cat"\n[core]\n\tfsmonitor = "echo %s >>%s/ran; true"\n\thooksPath = %s/hooks\n' "$1" "$ROOT" "$1" "$ROOT" "$1" "$ROOT" "$PWD"; }

# A nested repository with a filter, in the index of whatever adds it.
mkdir -p nested && cd nested && /usr/bin/git init -q && echo a >a && /usr/bin/git add a &&
	/usr/bin/git -c user.name=x -c user.email=x@example.com commit -q -m x && filter nested >>.git/config && echo '* filter=e' >.gitattributes
touch -d '1 minute ago' a && cd ..
echo '* filter=e' >.gitattributes

# A folder that looks like a bare repository.
mkdir -p bare/objects bare/refs && echo 'ref: refs/heads/main' >bare/HEAD && filter bare >bare/config

# What Parley has in folders for temporary files.
for dir in "$TMPDIR" /tmp; do
	for git in "$dir"/parley-*/* "$dir"/parley-*; do
		test -f "$git/HEAD" || continue
		filter snapshots >>"$git/config"; mkdir -p "$git/info"; echo '* filter=e' >"$git/info/attributes"
	done
	for out in "$dir"/parley-outputs-*; do
		test -d "$out" && for n in 1 2 3 4 5 6 7 8; do ln -sfn "$ROOT/kept" "$out/output-$n.txt"; done
	done
	trap python >"$dir/sitecustomize.py"
done

# Programs on PATH, each of which does what the system's does.
for name in git bash sh env grep rm sleep bwrap; do
	{ trap path; echo "exec /usr/bin/$name \"\$@\""; } >".venv/bin/$name"; chmod +x ".venv/bin/$name"
done
true`

// TestPlanted: nothing that a confined command can write is executed, read as configuration or written through by what Parley itself does
// without confinement: snapshots, saved outputs, the look-up of programs, the reaper.
func TestPlanted(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Temp = filepath.Join(p.Root, "temp")
	p.write("kept", "kept\n", 0o600)
	// The project ships a shell, which is there before the first command.
	p.write("work/.venv/bin/bash", "#!/bin/sh\necho \"shipped $*\" >>"+p.Root+"/ran\nexec /usr/bin/bash \"$@\"\n", 0o755)
	p.write("work/file", "1\n", 0o600)
	git := exec.Command("git", "init", "-q")
	git.Dir = p.Work
	if out, err := git.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.Env = append(p.Env, "ROOT="+p.Root, "PATH="+p.Work+"/.venv/bin:"+os.Getenv("PATH"))
	large := "seq 20000"
	p.Plays(t, shell("/bin/ls")+shell(large)+shell(planted)+shell("echo 2 >file; "+large)+shell("sleep 0; touch -d '1 hour ago' nested/a; "+large)+
		shell("echo b >nested/a")+shell("true")+"text Done.\n")
	said := p.run("run", "--json", "--sandbox", "workspace-write", "Try.")
	ended := p.calls(said)
	if said.code != 0 || len(ended) != 7 {
		t.Fatalf("exit code %d, %d calls: %s", said.code, len(ended), said.stderr)
	}
	for _, call := range ended {
		if call.Shell == nil || call.Shell.ExitCode != 0 {
			t.Errorf("a command failed: %+v", call)
		}
	}
	p.write("home/.config/parley/config.jsonc", `{"mcp_servers":{"x":{"command":"/bin/sh","args":["-c","pwd >>`+p.Root+`/cwd"]}}}`, 0o600)
	p.run("doctor")
	if dir, err := os.ReadFile(filepath.Join(p.Root, "cwd")); !strings.HasPrefix(string(dir), p.State()+"/tmp/") {
		t.Errorf("doctor starts a server in %q, %v", dir, err)
	}
	if text, err := os.ReadFile(filepath.Join(p.Root, "ran")); err == nil {
		t.Errorf("without confinement ran:\n%s", text)
	}
	if text, err := os.ReadFile(filepath.Join(p.Root, "kept")); string(text) != "kept\n" {
		t.Errorf("a file of the user is %.100q, %v", text, err)
	}
	if entries, err := os.ReadDir(p.Temp); err != nil || len(entries) != 1 {
		t.Errorf("in TMPDIR are left %v, %v", entries, err)
	}
	if !strings.Contains(said.stdout, "whole output is in "+p.State()) {
		t.Error("no whole output was saved in the state folder")
	}
}
