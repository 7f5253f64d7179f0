//go:build unix

package security

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// oneTurn writes what can be written: a journal, a list, a large output, a grant, a picture.
const oneTurn = `call shell {"command":"head -c 100000 /dev/zero | tr '\\0' x; echo x >made"}` + "\nnext\ntext Done.\n"

func (p *place) work1() {
	p.t.Helper()
	p.Plays(p.t, oneTurn)
	for _, args := range [][]string{
		{"run", "--sandbox", "workspace-write", "Go."},
		{"sessions", "list"},
		{"grants", "allow", "--command", "git status"},
		{"flint"},
		{"loaf", "rpc"},
		{"pisces", "--mode", "rpc"},
		{"doctor"},
	} {
		if said := p.runOpen(args...); said.code != 0 {
			p.t.Fatalf("%q: %+v", args, said)
		}
	}
}

// checkModes wants every file of the state for its owner alone.
func checkModes(t *testing.T, state string) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		} else {
			files++
		}
		if mode := info.Mode().Perm(); mode != want {
			t.Errorf("%s has mode %o, want %o", path, mode, want)
		}
		return nil
	})
	if err != nil || files < 5 {
		t.Errorf("%d files, %v", files, err)
	}
}

// TestStateIsForItsOwner: whatever the umask, and however wide the folders were that were there
// before, nothing else can read or write the state.
func TestStateIsForItsOwner(t *testing.T) {
	t.Parallel()
	t.Run("umask 0", func(t *testing.T) {
		p := newPlace(t)
		p.work1()
		checkModes(t, p.State())
		if info, err := os.Stat(filepath.Join(p.Work, "made")); err != nil || info.Mode().Perm() != 0o666 {
			t.Errorf("the umask of commands is not the user's: %v, %v", info, err)
		}
	})
	t.Run("wide before", func(t *testing.T) {
		p := newPlace(t)
		for _, dir := range []string{"", "sessions", "secrets"} {
			path := filepath.Join(p.State(), dir)
			if err := os.MkdirAll(path, 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o777); err != nil {
				t.Fatal(err)
			}
		}
		p.work1()
		checkModes(t, p.State())
	})
}

// TestStateOfOthers: what another user made, or put a link in the place of, is not used.
func TestStateOfOthers(t *testing.T) {
	t.Parallel()
	if os.Getuid() != 0 {
		t.Skip("only root can make another user's folders")
	}
	const me, other = 65534, 65533
	for name, make := range map[string]func(p *place) error{
		"folder":        func(p *place) error { return mkdirAs(p.State(), 0o755, other) },
		"open folder":   func(p *place) error { return mkdirAs(p.State(), 0o777, other) },
		"root's, open":  func(p *place) error { return mkdirAs(p.State(), 0o777, 0) },
		"sessions":      func(p *place) error { return mkdirAs(p.State()+"/sessions", 0o755, other) },
		"link":          func(p *place) error { return linkAs(p.Work, p.State(), other) },
		"sessions link": func(p *place) error { return linkAs(p.Work, p.State()+"/sessions", other) },
		"dangling link": func(p *place) error { return linkAs(p.Work+"/later", p.State()+"/sessions", other) },
		"secrets link":  func(p *place) error { return linkAs(p.Work, p.State()+"/secrets", other) },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.Plays(p.t, "text Done.\n")
			for _, path := range []string{p.Root, p.Work, p.Home} {
				if err := os.Chown(path, me, me); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chown(p.Home+"/model.script", me, me); err != nil {
				t.Fatal(err)
			}
			if err := make(p); err != nil {
				t.Fatal(err)
			}
			program := p.copyProgram()
			said := p.execAs(me, program, "run", "Go.")
			if said.code != 1 || !strings.Contains(said.stderr, "the state folder cannot be used") {
				t.Errorf("%+v", said)
			}
		})
	}
	t.Run("own", func(t *testing.T) { // else the rest proves nothing
		p := newPlace(t)
		p.Plays(p.t, "text Done.\n")
		for _, path := range []string{p.Root, p.Work, p.Home, p.Home + "/model.script"} {
			if err := os.Chown(path, me, me); err != nil {
				t.Fatal(err)
			}
		}
		if said := p.execAs(me, p.copyProgram(), "run", "Go."); said.code != 0 {
			t.Errorf("%+v", said)
		}
	})
}

func mkdirAs(path string, mode fs.FileMode, owner int) error {
	if err := os.MkdirAll(path, 0o755); err != nil {
		return err
	}
	if filepath.Base(path) != "state" {
		if err := os.Chown(filepath.Dir(path), 65534, 65534); err != nil {
			return err
		}
	}
	if err := os.Chmod(path, mode); err != nil {
		return err
	}
	return os.Chown(path, owner, owner)
}

func linkAs(to, path string, owner int) error {
	if err := mkdirAs(filepath.Dir(path), 0o755, 65534); err != nil {
		return err
	}
	if err := os.Symlink(to, path); err != nil {
		return err
	}
	return os.Lchown(path, owner, owner)
}

// TestConfigurationOfOthers: commands stand in the configuration; one that others can write is refused.
func TestConfigurationOfOthers(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(p.t, "text Done.\n")
	p.write("home/.config/parley/config.jsonc", "{}", 0o666)
	if said := p.run("run", "Go."); said.code == 0 || !strings.Contains(said.stderr, "everybody can write") {
		t.Errorf("%+v", said)
	}
	p.write("home/.config/parley/config.jsonc", "{}", 0o644)
	if said := p.run("run", "Go."); said.code != 0 {
		t.Errorf("%+v", said)
	}
	if os.Getuid() != 0 {
		return
	}
	const me, other = 65534, 65533
	for _, path := range []string{p.Root, p.Work, p.Home, p.Home + "/model.script"} {
		if err := os.Chown(path, me, me); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.RemoveAll(p.State()); err != nil {
		t.Fatal(err)
	}
	config := p.Home + "/.config/parley/config.jsonc"
	for owner, refused := range map[int]bool{other: true, me: false, 0: false} {
		for _, path := range []string{p.Home + "/.config", p.Home + "/.config/parley", config} {
			if err := os.Chown(path, owner, owner); err != nil {
				t.Fatal(err)
			}
			if err := os.Chmod(path, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		if said := p.execAs(me, p.copyProgram(), "run", "Go."); (said.code != 0) != refused {
			t.Errorf("of user %d: %+v", owner, said)
		}
	}
}

// TestStateUnderLinks: if a session's folder is a link, whichever process made it, no journal is
// written to the folder that it refers to.
func TestStateUnderLinks(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	p.Plays(p.t, "text Done.\nnext\ntext Done.\n")
	if said := p.run("run", "Go."); said.code != 0 {
		t.Fatalf("%+v", said)
	}
	sessions, err := os.ReadDir(p.State() + "/sessions")
	if err != nil || len(sessions) != 1 {
		t.Fatalf("%v, %v", sessions, err)
	}
	id := sessions[0].Name()
	victim := p.write("victim", "kept\n", 0o600)
	for _, name := range []string{"journal.jsonl", "lock"} {
		path := filepath.Join(p.State(), "sessions", id, name)
		old := path + ".old"
		if err := os.Rename(path, old); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(victim, path); err != nil {
			t.Fatal(err)
		}
		said := p.run("run", "--resume", id, "Go on.")
		if text, err := os.ReadFile(victim); err != nil || string(text) != "kept\n" {
			t.Errorf("%s: the file behind the link became %q, %v; %+v", name, text, err, said)
		}
		if err := os.Rename(old, path); err != nil {
			t.Fatal(err)
		}
	}
}

// execAs is exec as another user.
func (p *place) execAs(user int, args ...string) ending {
	p.t.Helper()
	return p.execBy(&syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(user), Gid: uint32(user)}}, "", args...)
}

// TestConfigurationIsHidden: file tools neither read nor change the configuration and the state of a
// workspace that has them in it, in a sandbox where no user is asked, wherever they lie.
func TestConfigurationIsHidden(t *testing.T) {
	t.Parallel()
	for name, at := range map[string]string{"usual": "home/.config/parley/config.jsonc", "named": "home/mine.jsonc"} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			p.Work = p.Home
			const text = `{"model":"offline/script"} /* hidden-text */`
			config := p.write(at, text, 0o600)
			paths := []string{strings.TrimPrefix(at, "home/"), "state/grants.json"}
			for _, name := range []string{".scaiflux/credentials.json", ".codex/auth.json", ".pi/agent/auth.json"} { // of other agents
				p.write("home/"+name, `{"offline":"hidden-text"}`, 0o600)
				paths = append(paths, name)
			}
			if name == "named" {
				p.Env = append(p.Env, "PARLEY_CONFIG="+config)
			} else {
				paths = append(paths, ".config/parley/hook.sh", "~/.config/parley/new/file")
			}
			var script strings.Builder
			calls := 0
			for _, path := range paths {
				for _, call := range []string{
					`call write {"path":"` + path + `","content":"{}"}`, `call read {"path":"` + path + `"}`,
					`call edit {"path":"` + path + `","old":"offline","new":"x"}`, `call grep {"path":"` + path + `","pattern":"hidden","mode":"content"}`,
				} {
					script.WriteString(call + "\nnext\n")
					calls++
				}
			}
			script.WriteString(`call grep {"path":".","pattern":"hidden-text","mode":"content"}` + "\nnext\n" + `call glob {"pattern":"**/*.jsonc"}` + "\nnext\ntext Done.\n")
			p.Plays(p.t, script.String())
			said := p.run("run", "--json", "--sandbox", "workspace-write", "Go.")
			ended := p.calls(said)
			if len(ended) != calls+2 {
				t.Fatalf("%d calls ended: %s", len(ended), said.stderr)
			}
			for i, call := range ended {
				found := strings.Contains(call.Output, "hidden-text") // or, of those that search everywhere, the file's name
				if i >= calls {
					found = strings.Contains(call.Output, paths[0])
				}
				if i < calls && call.Outcome == "succeeded" || found {
					t.Errorf("call %d: %s %q", i, call.Outcome, call.Output)
				}
			}
			if got, err := os.ReadFile(config); err != nil || string(got) != text {
				t.Errorf("it became %q, %v", got, err)
			}
		})
	}
}
