package security

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/transcript"
)

// An escape is a command that does what a confined one may not. $ROOT is the place's folder, $SELF
// plays burglaries, $PPID is the program itself.
type escape struct {
	name, command string
	rare          bool // not every user or kernel lets it work without confinement
}

// The workspace is the home folder, so that state and configuration lie in it.
var escapes = []escape{
	{name: "write outside", command: `echo x >"$ROOT/outside/new"`},
	{name: "write outside through a new link", command: `ln -s "$ROOT/outside" l && echo x >l/new2`},
	{name: "write outside through a link that was there", command: `echo x >out/new3`},
	{name: "write outside through /proc/self/root", command: `echo x >"/proc/self/root$ROOT/outside/new4"`},
	{name: "write outside through the program's root", command: `echo x >"/proc/$PPID/root$ROOT/outside/new5"`},
	{name: "write outside through a hard link", command: `ln "$ROOT/outside/file" hard && echo x >>hard`},
	{name: "write outside through a mount", command: `unshare -Urm sh -c 'mkdir -p m && mount --bind "$ROOT/outside" m && echo x >m/new6'`, rare: true},
	{name: "write the configuration", command: `echo '{"hooks":{}}' >.config/parley/config.jsonc`},
	{name: "add to the configuration", command: `echo x >.config/parley/hook.sh`},
	{name: "write the configuration through a link", command: `ln -s .config/parley c && echo x >c/new`},
	{name: "replace the configuration's folder", command: `mv .config/parley .config/other && mkdir -p .config/parley && echo x >.config/parley/config.jsonc`},
	{name: "replace the folder above it", command: `mv .config .other && mkdir -p .config/parley && echo x >.config/parley/config.jsonc`},
	{name: "write the state", command: `echo x >state/new.json`},
	{name: "write a journal", command: `for f in state/sessions/*/journal.jsonl; do : >>"$f" || exit 1; done`},
	{name: "read a token of the state", command: `grep -q . state/run/token`},
	{name: "read a token of the state through a link", command: `ln -s state/run r && grep -q . r/token`},
	{name: "read a token of the state through the program's root", command: `grep -q . "/proc/$PPID/root$HOME/state/run/token"`},
	{name: "read a token of the default state folder", command: `grep -q . .local/state/parley/run/token`},
	{name: "write the default state folder", command: `echo '{}' >.local/state/parley/tokens.json`},
	{name: "add an agent to the default state folder", command: `mkdir -p .local/state/parley/agents && echo x >.local/state/parley/agents/a.md`},
	{name: "make a copy beside the default state folder", command: `mkdir -p .local/state/parley.trees/new`},
	{name: "replace the state", command: `mv state old && mv old state`},
	{name: "write git's configuration", command: `echo x >>.git/config`},
	{name: "write a hook of git's configuration", command: `echo x >>.husky/pre-commit`},
	{name: "leave a setuid program", command: `cp /bin/true suid && chmod u+s suid`},
	{name: "write a start-up file", command: `echo x >>.bashrc`},
	{name: "make a start-up file", command: `echo x >.zshenv`},
	{name: "allow a key to sign in", command: `mkdir -p .ssh && echo x >>.ssh/authorized_keys`},
	{name: "replace the user's git configuration", command: `echo x >g && mv g .gitconfig`},
	{name: "start with the session", command: `mkdir -p .config/autostart && echo x >.config/autostart/x.desktop`},
	{name: "write another agent's credentials", command: `echo x >.codex/auth.json`},
	{name: "make another agent's credentials", command: `echo x >.loaf/auth.json`},
	{name: "make the folder of another agent's credentials", command: `mkdir -p .pi/agent && echo x >.pi/agent/auth.json`},
	{name: "make git's configuration anew", command: `rm -f .git/config && echo x >.git/config`},

	{name: "read the program's environment", command: `cat "/proc/$PPID/environ" | wc -c | grep -qv '^0$'`},
	{name: "read the program's memory", command: `"$SELF" burgle memory "$PPID"`},
	{name: "see the program's open files", command: `readlink "/proc/$PPID/fd/2"`},
	{name: "write to the program's open files", command: `: >>"/proc/$PPID/fd/2"`},
	{name: "take an open file of the program", command: `"$SELF" burgle getfd "$PPID"`, rare: true},
	{name: "trace the program", command: `"$SELF" burgle trace "$PPID"`, rare: true},
	{name: "signal the program", command: `kill -s URG "$PPID"`},
	{name: "stop the program", command: `kill -s CONT "$PPID"`},
	{name: "limit the program", command: `"$SELF" burgle limit "$PPID"`},
	{name: "enter the program's network", command: `"$SELF" burgle setns "$PPID"`, rare: true},

	{name: "socket of an SSH agent", command: `"$SELF" burgle dial unix "$SSH_AUTH_SOCK"`},
	{name: "abstract socket", command: `"$SELF" burgle dial unix "$ABSTRACT"`},
	{name: "network", command: `"$SELF" burgle dial tcp "$LISTENER"`},
	{name: "network by the shell", command: `exec 3<>"/dev/tcp/${LISTENER%:*}/${LISTENER##*:}"`},
	{name: "datagram", command: `"$SELF" burgle datagram "$SSH_AUTH_SOCK.dgram"`},
	{name: "raw packets", command: `"$SELF" burgle packets`, rare: true},

	{name: "user namespace", command: `unshare -Ur true`, rare: true},
	{name: "io_uring", command: `"$SELF" burgle uring`, rare: true},
	{name: "open a file by its handle", command: `"$SELF" burgle handle "$ROOT/outside"`, rare: true},
	{name: "keys of the kernel", command: `"$SELF" burgle keys`, rare: true},
	{name: "BPF", command: `"$SELF" burgle bpf`, rare: true},
	{name: "make a device", command: `mknod node c 1 3`, rare: true},
	{name: "change the root", command: `"$SELF" burgle chroot`, rare: true},
	{name: "settings of the kernel", command: `: >>/proc/sys/kernel/core_pattern`, rare: true},
	{name: "clock", command: `"$SELF" burgle clock`, rare: true},
}

// TestEscapesFromTheProgram runs each escape as a command of a model, in one turn without a sandbox,
// where it has to work, else it proves nothing, and in one with it.
func TestEscapesFromTheProgram(t *testing.T) {
	t.Parallel()
	var free, held []string
	t.Run("tries", func(t *testing.T) {
		t.Run("free", func(t *testing.T) {
			t.Parallel()
			free, _ = tryEscapes(t, "full-access")
		})
		t.Run("held", func(t *testing.T) {
			t.Parallel()
			var p *place
			held, p = tryEscapes(t, "workspace-write")
			if text, err := os.ReadFile(filepath.Join(p.Root, "outside/file")); err != nil || string(text) != "kept\n" {
				t.Errorf("the file outside is %q, %v", text, err)
			}
			if entries, err := os.ReadDir(filepath.Join(p.Root, "outside")); err != nil || len(entries) != 1 {
				t.Errorf("outside are %v, %v", entries, err)
			}
		})
	})
	if len(free) != len(escapes) || len(held) != len(escapes) {
		return // it is reported
	}
	tried := 0
	for i, e := range escapes {
		switch {
		case free[i] != "":
			if !e.rare && os.Getuid() == 0 {
				t.Errorf("%s does not work even without confinement: %s", e.name, free[i])
			}
			t.Logf("%s cannot be tried here: %s", e.name, free[i])
		case held[i] == "":
			t.Errorf("%s works", e.name)
		default:
			tried++
		}
	}
	t.Logf("%d of %d escapes were tried and held", tried, len(escapes))
}

// tryEscapes returns for each escape why it failed; "": it worked. They share one place, because
// a fresh one for each would take a minute of starts, and their names do not clash.
func tryEscapes(t *testing.T, sandbox string) (failures []string, p *place) {
	t.Helper()
	p = newPlace(t)
	p.Work = p.Home
	p.write("outside/file", "kept\n", 0o600)
	p.write("home/.config/parley/config.jsonc", "{}", 0o600)
	p.write("home/.git/config", "[core]\nhooksPath = .husky/_\n", 0o600)
	p.write("home/.husky/pre-commit", "true\n", 0o700)
	p.write("home/.bashrc", "true\n", 0o600)
	p.write("home/.codex/auth.json", "{}", 0o600)
	p.write("home/.loaf/other.json", "{}", 0o600)
	p.write("home/.git/HEAD", "ref: refs/heads/main\n", 0o600)
	p.write("home/state/run/token", "token", 0o600)
	p.write("home/.local/state/parley/run/token", "token", 0o600)
	p.write("home/state/sessions/other/journal.jsonl", "", 0o600)
	if err := os.Symlink(filepath.Join(p.Root, "outside"), filepath.Join(p.Home, "out")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.Env = append(p.Env, "ROOT="+p.Root, "SELF="+self)
	p.openDoors()
	var script strings.Builder
	for _, e := range escapes {
		script.WriteString(shell(e.command))
	}
	p.Plays(p.t, script.String()+"text Done.\n")
	said := p.run("run", "--json", "--sandbox", sandbox, "Try.")
	if said.code != 0 {
		t.Fatalf("exit code %d: %s", said.code, said.stderr)
	}
	ended := p.calls(said)
	if len(ended) != len(escapes) {
		t.Fatalf("%d calls ended, of %d: %s", len(ended), len(escapes), said.stderr)
	}
	for i, call := range ended {
		if call.Shell == nil {
			t.Fatalf("%s was not run: %+v", escapes[i].name, call)
		}
		failure := ""
		if call.Shell.ExitCode != 0 {
			failure = fmt.Sprintf("exit code %d: %s", call.Shell.ExitCode, call.Output)
		}
		failures = append(failures, failure)
	}
	return failures, p
}

// openDoors makes services that commands could get out by.
func (p *place) openDoors() {
	p.t.Helper()
	agent := filepath.Join(p.Root, "agent")
	for variable, at := range map[string][2]string{
		"SSH_AUTH_SOCK": {"unix", agent}, "ABSTRACT": {"unix", "@" + filepath.Base(p.Root)}, "LISTENER": {"tcp", "127.0.0.1:0"},
	} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			p.t.Fatal(err)
		}
		p.t.Cleanup(func() { l.Close() })
		p.Env = append(p.Env, variable+"="+l.Addr().String())
	}
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: agent + ".dgram"})
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(func() { datagrams.Close() })
}

// TestConfinementIsThere: where the escapes cannot be held, the rest of this file proves nothing.
func TestConfinementIsThere(t *testing.T) {
	t.Parallel()
	p := newPlace(t)
	said := p.exec("", transcript.Build(t), "doctor")
	if !strings.Contains(said.stdout, "landlock") {
		t.Errorf("doctor says %+v", said)
	}
}
