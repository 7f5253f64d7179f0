package sandbox

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"parley.dev/parley/internal/racetest"

	"golang.org/x/sys/unix"
)

// A fixture is a set of files that a command may and may not change, new for each attempt.
type fixture struct {
	root    string // writable
	bare    string // writable, without a .git
	outside string
	env     []string
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	f := &fixture{root: realTemp(t), bare: realTemp(t), outside: realTemp(t)}
	for _, folder := range []string{
		f.root + "/.git/hooks", f.root + "/.git/worktrees/tree", f.root + "/sub/deep/.git", f.root + "/tree",
		f.root + "/.husky/_", f.root + "/apart", f.root + "/gits/apart",
		f.root + "/state", f.root + "/inner/deep/state", f.root + "/src", f.outside + "/empty",
	} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for file, text := range map[string]string{
		f.root + "/.git/HEAD": "ref: refs/heads/main\n", f.root + "/.git/config": "[core]\n\thooksPath = .husky/_ # of husky\n",
		f.root + "/.husky/pre-commit": "true\n", f.root + "/.husky/_/pre-commit": "true\n", f.root + "/.profile": "true\n",
		f.root + "/.git/worktrees/tree/commondir": "../..\n", f.root + "/.git/worktrees/tree/HEAD": "x\n",
		f.root + "/sub/deep/.git/HEAD": "x\n", f.root + "/sub/deep/.git/config": "[core] hookspath=\"hooks\"\n",
		f.root + "/tree/.git":  "gitdir: ../.git/worktrees/tree\n",
		f.root + "/apart/.git": "gitdir: ../gits/apart\n", f.root + "/gits/apart/HEAD": "x\n", f.root + "/state/journal": "kept\n",
		f.root + "/src/main.c": "int main;\n", f.outside + "/file": "kept\n",
	} {
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{f.root + "/out": f.outside, f.root + "/outfile": f.outside + "/file"} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	f.env = append(os.Environ(), "ROOT="+f.root, "BARE="+f.bare, "OUT="+f.outside, "SELF="+os.Args[0])
	return f
}

func (f *fixture) policy() Policy {
	return Policy{
		Level: WorkspaceWrite, Writable: []string{f.root, f.bare}, Protected: []string{f.root + "/state", f.root + "/inner/deep/state", f.root + "/future/state"},
		ProtectedFiles: []string{f.root + "/.profile", f.root + "/.bashrc"},
	}
}

// try runs text and reports whether it worked.
func (f *fixture) try(t *testing.T, s *Spawner, p Policy, text string) (worked bool, output string) {
	t.Helper()
	w := newTranscript()
	c := confined(w, p, text)
	c.Env, c.Dir = f.env, f.root
	return run(t, s, c) == Exit{}, w.String()
}

// An escape is a script that works without confinement and must fail for a confined command.
type escape struct {
	name   string
	text   string
	except string // configurations, by a part of their name, that are known not to prevent it
	why    string
}

const (
	alone     = "alone"
	noFilters = "without seccomp"
	bubbles   = "bubblewrap"
)

var escapes = []escape{
	{name: "create outside", text: `echo x >"$OUT/new"`},
	{name: "append outside", text: `echo x >>"$OUT/file"`},
	{name: "truncate outside", text: `truncate -s 0 "$OUT/file"`},
	{name: "truncate outside by path", text: `"$SELF" truncate "$OUT/file"`},
	{name: "truncate outside opened for reading", text: `"$SELF" open-truncate "$OUT/file"`},
	{name: "make a folder outside", text: `mkdir "$OUT/dir"`},
	{name: "remove a folder outside", text: `rmdir "$OUT/empty"`},
	{name: "unlink outside", text: `rm -f "$OUT/file" && ! test -e "$OUT/file"`},
	{name: "rename outside", text: `mv "$OUT/file" "$OUT/file2"`},
	{name: "move out", text: `mv "$ROOT/src/main.c" "$OUT/main.c"`},
	{name: "rename out", text: `"$SELF" rename "$ROOT/src/main.c" "$OUT/main.c"`},
	{name: "rename in", text: `"$SELF" rename "$OUT/file" "$ROOT/src/file"`},
	{name: "exchange", text: `"$SELF" exchange "$OUT/file" "$ROOT/src/main.c"`},
	{name: "hard link in and write", text: `ln "$OUT/file" "$ROOT/src/link" && echo x >>"$ROOT/src/link"`},
	{name: "hard link out", text: `ln "$ROOT/src/main.c" "$OUT/link"`},
	{name: "symbolic link outside", text: `ln -s /etc "$OUT/link"`},
	{name: "pipe outside", text: `mkfifo "$OUT/pipe"`},
	{name: "change a mode outside", text: `chmod 777 "$OUT/file"`, except: alone, why: "Landlock does not know of metadata"},
	{name: "change a time outside", text: `touch -d 2001-01-01 "$OUT/file"`, except: alone, why: "Landlock does not know of metadata"},
	{name: "through a link to a folder", text: `echo x >"$ROOT/out/new"`},
	{name: "through a link to a file", text: `echo x >>"$ROOT/outfile"`},
	{name: "through a new link", text: `ln -s "$OUT" "$ROOT/src/l" && echo x >"$ROOT/src/l/new"`},
	{name: "through ..", text: `cd "$ROOT/src" && echo x >"../../${OUT##*/}/new"`},
	{name: "through /proc/self/fd", text: `exec 3<"$OUT/file" && echo x >/proc/self/fd/3`},
	{name: "through another's root", text: `echo x >"/proc/$VICTIM/root$OUT/new"`},
	{name: "through another's folder", text: `echo x >"/proc/$VICTIM/cwd$OUT/new"`},
	{name: "through another's memory", text: `: <>"/proc/$VICTIM/mem"`},
	{name: "read another's environment", text: `grep -q . "/proc/$VICTIM/environ"`},
	{name: "read another's memory", text: `: <"/proc/$VICTIM/mem"`},
	{name: "see another's open files", text: `readlink "/proc/$VICTIM/fd/0"`},
	{name: "read another's open files", text: `: <"/proc/$VICTIM/fd/0"`},
	{name: "take another's open file", text: `"$SELF" take "$VICTIM"`},
	{name: "bind mount", text: `unshare -Urm bash -c 'mkdir -p "$ROOT/src/m" && mount --bind "$OUT" "$ROOT/src/m" && echo x >"$ROOT/src/m/new"'`},
	{name: "remount", text: `unshare -Urm bash -c 'mount --bind "$OUT" "$OUT" && mount -o remount,bind,rw "$OUT" && echo x >"$OUT/new"'`},
	{name: "own namespaces", text: `unshare -Ur true`, except: noFilters, why: "they give no more than one has; seccomp refuses them all the same"},

	{name: "git: change the configuration", text: `echo x >>"$ROOT/.git/config"`},
	{name: "git: make a hook", text: `echo x >"$ROOT/.git/hooks/pre-commit"`},
	{name: "git: delete", text: `rm -f "$ROOT/.git/config" && ! test -e "$ROOT/.git/config"`},
	{name: "git: rename away", text: `mv "$ROOT/.git" "$ROOT/old"`},
	{name: "git: put another in its place", text: `mv "$ROOT/.git" "$ROOT/src/old" && mkdir "$ROOT/.git" && echo x >"$ROOT/.git/config"`},
	{name: "git: nested repository", text: `echo x >>"$ROOT/sub/deep/.git/config"`},
	{name: "git: nested repository under another name", text: `mv "$ROOT/sub" "$ROOT/sub2" && echo x >>"$ROOT/sub2/deep/.git/config"`},
	{name: "git: another repository in the place of a nested one", text: `cp -a "$ROOT/sub/deep" "$ROOT/src/n" && echo x >>"$ROOT/src/n/.git/config" && mv "$ROOT/sub/deep" "$ROOT/src/o" && mv "$ROOT/src/n" "$ROOT/sub/deep"`},
	{name: "git: another folder in the place of the one above a nested repository", text: `cp -a "$ROOT/sub" "$ROOT/src/n" && echo x >>"$ROOT/src/n/deep/.git/config" && mv "$ROOT/sub" "$ROOT/src/o" && mv "$ROOT/src/n" "$ROOT/sub"`},
	{name: "git: exchange a nested repository", text: `cp -a "$ROOT/sub" "$ROOT/src/n" && "$SELF" exchange "$ROOT/src/n" "$ROOT/sub"`},
	{name: "git: another worktree in the place of one", text: `mv "$ROOT/tree" "$ROOT/src/o" && mkdir "$ROOT/tree" && echo "gitdir: $ROOT/src" >"$ROOT/tree/.git"`},
	{name: "git: another folder in the place of the one above a separate one", text: `mv "$ROOT/gits" "$ROOT/src/o" && mkdir -p "$ROOT/gits/apart" && echo x >"$ROOT/gits/apart/config"`},
	{name: "git: file of a worktree", text: `echo x >"$ROOT/tree/.git"`},
	{name: "git: replace the file of a worktree", text: `rm -f "$ROOT/tree/.git" && mkdir "$ROOT/tree/.git"`},
	{name: "git: folder of a worktree", text: `echo x >"$ROOT/.git/worktrees/tree/HEAD"`},
	{name: "git: make one", text: `mkdir -p "$BARE/.git" && echo x >"$BARE/.git/HEAD"`, except: alone, why: "Landlock does not know of names"},
	{name: "git: make one of a file", text: `echo "gitdir: $ROOT/src" >"$BARE/.git"`, except: alone, why: "Landlock does not know of names"},
	{name: "git: move one in", text: `mkdir "$BARE/x" && mv -T "$BARE/x" "$BARE/.git" && echo x >"$BARE/.git/HEAD"`, except: alone, why: "Landlock does not know of names"},

	{name: "git: hooks of a setting", text: `echo x >"$ROOT/.husky/_/pre-commit"`},
	{name: "git: what hooks of a setting run", text: `echo x >"$ROOT/.husky/pre-commit"`},
	{name: "git: another folder in the place of hooks of a setting", text: `mv "$ROOT/.husky" "$ROOT/src/o" && mkdir "$ROOT/.husky"`},
	{name: "git: hooks of a setting that are not there", text: `mkdir "$ROOT/sub/deep/hooks" && echo x >"$ROOT/sub/deep/hooks/pre-commit"`},
	{name: "setuid: by a mode", text: `cp /bin/true "$ROOT/src/s" && chmod u+s "$ROOT/src/s" && test -u "$ROOT/src/s"`, except: noFilters, why: "it takes a filter"},
	{name: "setuid: by a group", text: `cp /bin/true "$ROOT/src/s" && chmod g+s "$ROOT/src/s" && test -g "$ROOT/src/s"`, except: noFilters, why: "it takes a filter"},
	{name: "setuid: when made", text: `"$SELF" setuid "$ROOT/src/s" && test -u "$ROOT/src/s"`, except: noFilters, why: "it takes a filter"},
	{name: "setuid: when made in another way", text: `"$SELF" setuid2 "$ROOT/src/s" && test -u "$ROOT/src/s"`, except: noFilters, why: "it takes a filter"},
	{name: "start-up file: change", text: `echo x >>"$ROOT/.profile"`},
	{name: "start-up file: replace", text: `echo x >"$ROOT/src/p" && mv "$ROOT/src/p" "$ROOT/.profile"`},
	{name: "start-up file: not there yet", text: `echo x >"$ROOT/.bashrc"`},
	{name: "protected: change", text: `echo x >"$ROOT/state/journal"`},
	{name: "protected: create", text: `echo x >"$ROOT/state/new"`},
	{name: "protected: delete", text: `rm -f "$ROOT/state/journal" && ! test -e "$ROOT/state/journal"`},
	{name: "protected: rename away", text: `mv "$ROOT/state" "$ROOT/old"`},
	{name: "protected: another folder in the place of the one above", text: `mv "$ROOT/inner/deep" "$ROOT/src/deep" && mkdir -p "$ROOT/inner/deep/state" && echo x >"$ROOT/inner/deep/state/new"`},
	{name: "protected: another folder in the place of one far above", text: `mv "$ROOT/inner" "$ROOT/other" && mkdir -p "$ROOT/inner/deep/state" && echo x >"$ROOT/inner/deep/state/new"`},
	{name: "protected: not there yet", text: `mkdir -p "$ROOT/future/state" && echo x >"$ROOT/future/state/new"`},

	{name: "network: TCP", text: `"$SELF" connect tcp4 "$TCP4"`},
	{name: "network: TCP of version 6", text: `test -z "$TCP6" || "$SELF" connect tcp6 "$TCP6"`},
	{name: "network: UDP", text: `"$SELF" send "$UDP"`},
	{name: "network: socket of a path", text: `"$SELF" connect unix "$SOCKET"`, except: noFilters, why: "a namespace does not hold it"},
	{name: "network: abstract socket", text: `"$SELF" connect unix "$ABSTRACT"`},
	{name: "network: datagram of a pair", text: `"$SELF" pair "$DATAGRAMS"`, except: noFilters, why: "a namespace does not hold it"},
	{name: "network: sockets of hypervisors", text: `"$SELF" socket 40 1 0`, except: noFilters, why: "a namespace does not hold it"},
	{name: "network: sockets of the kernel's keys", text: `"$SELF" socket 38 5 0`, except: noFilters, why: "a namespace does not hold it"},

	{name: "signal another", text: `kill -s URG "$VICTIM"`, except: bubbles, why: "it takes Landlock"},
	{name: "trace another", text: `"$SELF" trace "$VICTIM"`},
	{name: "write another's memory", text: `"$SELF" poke "$VICTIM"`},
	{name: "set another's limits", text: `"$SELF" limit "$VICTIM"`, except: noFilters, why: "it takes a filter"},
	{name: "shared memory of another", text: `"$SELF" attach "$SHARED"`},
	{name: "io_uring", text: `"$SELF" uring`, except: noFilters, why: "it takes a filter"},
	{name: "keys of the user", text: `"$SELF" keys`, except: noFilters, why: "it takes a filter"},
	{name: "user namespace by clone3", text: `"$SELF" clone3`, except: noFilters, why: "it takes a filter"},
}

// Each escape must fail in each configuration, and work without confinement: a script that
// cannot work at all proves nothing.
func TestEscapes(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	free := newSpawner(t, 0)
	works := map[string]bool{}
	for _, e := range escapes {
		f := newFixture(t)
		f.addTargets(t)
		worked, output := f.try(t, free, Policy{Level: Full}, e.text)
		works[e.name] = worked
		if !worked {
			if os.Getuid() == 0 && !unusual[e.name] {
				t.Errorf("%s does not work even without confinement: %s", e.name, output)
			}
			t.Logf("%s cannot be tried by this user on this machine: %s", e.name, output)
		}
	}
	eachConfiguration(t, func(t *testing.T, s *Spawner) {
		for _, e := range escapes {
			t.Run(e.name, func(t *testing.T) {
				if !works[e.name] {
					t.Skip("it does not work without confinement either")
				}
				if e.except != "" && strings.Contains(t.Name(), strings.ReplaceAll(e.except, " ", "_")) {
					t.Skip("known not to be held: " + e.why)
				}
				f := newFixture(t)
				f.addTargets(t)
				if worked, output := f.try(t, s, f.policy(), e.text); worked {
					t.Errorf("it worked: %s", output)
				}
				if text, err := os.ReadFile(f.outside + "/file"); string(text) != "kept\n" {
					t.Errorf("the file outside was changed: %q, %v", text, err)
				}
			})
		}
	})
}

// unusual lists escapes that need a kernel feature which not every machine has.
var unusual = map[string]bool{
	"network: sockets of hypervisors": true, "network: sockets of the kernel's keys": true, "io_uring": true,
	"keys of the user": true, "own namespaces": true, "take another's open file": true, "user namespace by clone3": true, "bind mount": true, "remount": true,
}

// addTargets starts services and a process that a command could use to escape.
func (f *fixture) addTargets(t *testing.T) {
	t.Helper()
	set := func(name, value string) { f.env = append(f.env, name+"="+value) }
	listen := func(name, network, address string) {
		l, err := net.Listen(network, address)
		if err != nil {
			t.Logf("no %s: %v", network, err)
			set(name, "")
			return
		}
		t.Cleanup(func() { l.Close() })
		set(name, l.Addr().String())
	}
	listen("TCP4", "tcp4", "127.0.0.1:0")
	listen("TCP6", "tcp6", "[::1]:0")
	listen("SOCKET", "unix", f.outside+"/socket")
	listen("ABSTRACT", "unix", "@"+filepath.Base(f.outside))
	udp, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan struct{})
	go func() { // ends when udp is closed
		defer close(answered)
		for letter := make([]byte, 1); ; {
			_, from, err := udp.ReadFrom(letter)
			if err != nil {
				return
			}
			_, _ = udp.WriteTo(letter, from)
		}
	}()
	t.Cleanup(func() { udp.Close(); <-answered })
	set("UDP", udp.LocalAddr().String())
	datagrams, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Net: "unixgram", Name: f.outside + "/datagrams"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { datagrams.Close() })
	set("DATAGRAMS", f.outside+"/datagrams")

	const private = 0 // IPC_PRIVATE
	if id, err := unix.SysvShmGet(private, 4096, unix.IPC_CREAT|0o600); err != nil {
		t.Logf("no shared memory: %v", err)
	} else {
		t.Cleanup(func() { _, _ = unix.SysvShmCtl(id, unix.IPC_RMID, nil) })
		set("SHARED", fmt.Sprint(id))
	}

	victim := exec.Command("/bin/sleep", "1000")
	victim.Dir = "/"
	if err := victim.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = victim.Process.Kill(); _ = victim.Wait() })
	set("VICTIM", fmt.Sprint(victim.Process.Pid))
}

// TestEscapesOfOthers runs TestEscapes and related tests as a user who is not root.
func TestEscapesOfOthers(t *testing.T) {
	racetest.Skip(t, racetest.OtherProcesses)
	if os.Getuid() != 0 {
		t.Skip("this user is not root: the tests themselves show it")
	}
	if testing.Short() {
		t.Skip("every test again as another user")
	}
	dir := realTemp(t)
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	program := dir + "/sandbox.test"
	if err := copyProgram(program); err != nil {
		t.Fatal(err)
	}
	c := exec.CommandContext(t.Context(), program, "-test.run", "^(TestEscapes|TestAllowed|TestReadOnly|TestNetwork.*|TestNested|TestConfined.*|TestHidden)$", "-test.v", "-test.count=1")
	c.Dir = "/"
	c.Env = append(os.Environ(), "HOME=/nonexistent", "TMPDIR=/tmp")
	const nobody = 65534
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := c.CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if passed := strings.Count(string(out), "--- PASS"); passed < len(escapes) {
		t.Errorf("only %d tests passed\n%s", passed, out)
	}
	t.Logf("%d passed, %d skipped", strings.Count(string(out), "--- PASS"), strings.Count(string(out), "--- SKIP"))
}

func copyProgram(to string) error {
	from, err := os.Open("/proc/self/exe")
	if err != nil {
		return err
	}
	defer from.Close()
	f, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(f, from); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
