package shell

import (
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// bashSays runs bash with an environment, has it run a command, and is what it exports, by its
// own words and by those of env.
func bashSays(t *testing.T, command string, environ ...string) (read, truth []string) {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	c := exec.CommandContext(t.Context(), bash, "-c", command+`
builtin export -p; printf "\0"; builtin export -fp; printf "\0"; /usr/bin/env -0`)
	c.Env = append([]string{"PATH=/usr/bin:/bin"}, environ...)
	out, err := c.Output()
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.SplitN(string(out), "\x00", 3)
	read = exported(parts[0], parts[1], c.Env)
	truth = strings.Split(strings.TrimSuffix(parts[2], "\x00"), "\x00")
	own := func(entry string) bool {
		return strings.HasPrefix(entry, "_=") || strings.HasPrefix(entry, "SHLVL=") || strings.HasPrefix(entry, functionPrefix)
	}
	return sorted(slices.DeleteFunc(read, own)), sorted(slices.DeleteFunc(truth, own))
}

func sorted(all []string) []string { slices.Sort(all); return all }

func TestExported(t *testing.T) {
	for _, test := range []struct{ name, command string }{
		{"nothing", "true"},
		{"a value", "export A=1"},
		{"quotes", "export A=$'it\\'s \"so\" \\\\ $HOME `date`'"},
		{"lines", "export A=$'x\\ny\\n'"},
		{"a line in plain quotes", "export A='x\ny $(rm) \\n'"},
		{"control characters", `export A=$'\001\033[0m\177\t\r'`},
		{"bytes that are no text", `export A=$'\377\376é'`},
		{"another language", "export LC_ALL=C; export A='é ü 漢'"},
		{"empty, unset, without a value", "export A= B; export C=1; unset C"},
		{"kinds", "declare -ix A=5; declare -rx B=r; declare -lx C=ABC; declare -ax D=(1 2); declare -Ax E=([a]=b)"},
		{"a reference", "A=1; declare -nx B=A; export A"},
		{"POSIX", "set -o posix; export A='b c'"},
		{"a tilde, a pattern, braces", `export A='~' B='*' C='{a,b}' D='!!' E='#x' F='a=b;c&d|e'`},
		{"history", "set -H; export A='a!b'"},
		{"functions", "f() { echo \"a b\"; }; g() { cat <<X\n}\nX\n}; export -f f g"},
		{"long", `printf -v A '%070000d' 7; export A`},
	} {
		t.Run(test.name, func(t *testing.T) {
			read, truth := bashSays(t, test.command, "I-1.x=passed on", "EMPTY=", "Q='\"$`\\")
			if !slices.Equal(read, truth) {
				t.Errorf("read  %.1000q\ntruth %.1000q", read, truth)
			}
		})
	}
}

// TestExportedTogether: commands that end at the same time, of any sessions, keep their own values.
func TestExportedTogether(t *testing.T) {
	var all sync.WaitGroup
	for n := range 8 {
		all.Go(func() {
			want := []string{"A=" + strings.Repeat(strconv.Itoa(n), 1000)}
			for range 200 {
				if read := exported(`declare -x A="`+want[0][2:]+`"`, "", nil); !slices.Equal(read, want) {
					t.Errorf("%.20q became %.20q", want, read)
					return
				}
			}
		})
	}
	all.Wait()
}

// TestExportedFunctions: what is read of functions is one for bash.
func TestExportedFunctions(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	define := "f() { echo \"a  b $1\"; }; g() (cat <<X\n} $1\nX\n); h() { if true; then f h; fi > /dev/stdout; }; export -f f g h; builtin export -fp"
	said, err := exec.CommandContext(t.Context(), bash, "-c", define).Output()
	if err != nil {
		t.Fatal(err)
	}
	environ := exported("", string(said), nil)
	if len(environ) != 3 {
		t.Fatalf("%q", environ)
	}
	c := exec.CommandContext(t.Context(), bash, "-c", "f 1; g 2; h")
	c.Env = append(environ, "PATH=/usr/bin:/bin")
	if out, err := c.Output(); err != nil || string(out) != "a  b 1\n} 2\na  b h\n" {
		t.Errorf("%q, %v", out, err)
	}
}

// TestExportedNonsense: a command that writes to the descriptor itself changes nothing, starts
// nothing, and does not end the process.
func TestExportedNonsense(t *testing.T) {
	began := []string{"A=1", "BASH_FUNC_f%%=() { echo f; }", "B-C=2"}
	for _, said := range []string{
		"declare -x A=\"", "echo", "declare -x A=$(echo 2)", "declare -x A=`echo 2`", "declare -x A=$((B=2))", "declare -x A=<(echo)",
		"declare -x A=" + strings.Repeat("$(", 500_000), strings.Repeat("(", maxLeavings), strings.Repeat("{ ", maxLeavings/2), strings.Repeat("if ", maxLeavings/3),
		"declare -x A=\"" + strings.Repeat("${A:-\"", 150_000),
	} {
		if kept := exported(said, "", began); !slices.Equal(kept, began) {
			t.Errorf("%.40q became %.200q", said, kept)
		}
		if kept := exported("declare -x A=3", "f () "+said, began); !slices.Equal(kept, []string{"A=3", began[1], began[2]}) && !strings.HasPrefix(said, "declare") {
			t.Errorf("functions %.40q became %.200q", said, kept)
		}
	}
}

func FuzzExported(f *testing.F) {
	for _, value := range []string{"", "a b", "'\"$`\\", "\x01\xff\n", "é漢", "$'a'", "!", "\r\n\t"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		if strings.Contains(value, "\x00") || len(value) > 1<<12 {
			return
		}
		read, truth := bashSays(t, "true", "A="+value)
		if !slices.Equal(read, truth) {
			t.Errorf("read  %q\ntruth %q", read, truth)
		}
	})
}
