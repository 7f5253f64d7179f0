package transcript

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestRun plays transcripts of the fake program that must hold.
func TestRun(t *testing.T) {
	for name, o := range modes(t) {
		t.Run(name, func(t *testing.T) {
			o.Glob = "testdata/*.txtar"
			o.Probe = Probe{Send: "ping", Want: []string{"pong"}}
			Run(t, o)
		})
	}
}

// performText plays a dialogue in fresh folders.
func performText(ctx context.Context, t *testing.T, o Options, text string) error {
	t.Helper()
	s, err := parse("t.txtar", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return perform(ctx, s, o, t.TempDir())
}

// TestDifferences: whatever is not as expected fails, with the place and what came.
func TestDifferences(t *testing.T) {
	const ab = `> {"emit":["{\"a\":1,\"b\":\"x\"}","{\"c\":[true,null]}"]}` + "\n"
	tests := []struct {
		name, wire string
		want       string // part of the error; "": none
	}{
		{"as expected", ab + `< {"a":1,"b":"x"}` + "\n" + `< {"c":[true,null]}`, ""},
		{"spaces do not count", ab + `< { "a": 1, "b": "x" }` + "\n" + `< {"c":[true,null]}`, ""},
		{"wrong order", ab + `< {"c":[true,null]}` + "\n" + `< {"a":1,"b":"x"}`, "t.txtar:3: /c: want the key \"c\", got \"a\"\nwant {\"c\":[true,null]}\n got {\"a\":1,\"b\":\"x\"}"},
		{"missing at the end of output", ab + `< {"a":1,"b":"x"}` + "\n" + `< {"c":[true,null]}` + "\n> EOF\n< {}\n", "t.txtar:6: the output ended\nwant {}"},
		{"extra line", ab + `< {"a":1,"b":"x"}` + "\n> ping\n< pong", "t.txtar:5: the texts differ\nwant pong\n got {\"c\":[true,null]}"},
		{"extra line at the end", ab + `< {"a":1,"b":"x"}`, "at the end: unexpected line\n got {\"c\":[true,null]}"},
		{"wrong order of keys", ab + `< {"b":"x","a":1}` + "\n< *", `/b: want the key "b", got "a"`},
		{"missing key", ab + `< {"a":1,"b":"x","z":0}` + "\n< *", `/z: the key is missing`},
		{"extra key", ab + `< {"a":1}` + "\n< *", `unexpected "b"`},
		{"wrong value", ab + `< {"a":1,"b":"y"}` + "\n< *", `/b: want "y", got "x"`},
		{"wrong type", ab + `< {"a":"1","b":"x"}` + "\n< *", `/a: want "1", got 1`},
		{"wrong number", ab + `< {"a":1.0,"b":"x"}` + "\n< *", `/a: want 1.0, got 1`},
		{"object for a value", ab + `< {"a":{},"b":"x"}` + "\n< *", `/a: want {, got 1`},
		{"short array", ab + "< *\n" + `< {"c":[true,null,1]}`, `the array ends before 1`},
		{"long array", ab + "< *\n" + `< {"c":[true]}`, `unexpected null`},
		{"star", ab + `< {"a":"*","b":"*"}` + "\n" + `< {"c":"*"}`, ""},
		{"not JSON", `> {"emit":["oops"]}` + "\n< {}", "want {, but the line is not JSON"},
		{"more than JSON", `> {"emit":["{} {}"]}` + "\n< {}", "the line goes on after the JSON value"},
		{"text", "> ping\n< pong\n> ping\n< po*", ""},
		{"prefix", `> {"emit":["{\"m\":\"bash needs it\"}"]}` + "\n" + `< {"m":"bash needs *"}`, ""},
		{"wrong prefix", `> {"emit":["{\"m\":\"bash needs it\"}"]}` + "\n" + `< {"m":"zsh needs *"}`, `/m: want "zsh needs *", got "bash needs it"`},
		{"names", `> {"new":"k"}` + "\n" + `< {"k":"$one"}` + "\n" + `> {"new":"k"}` + "\n" + `< {"k":"$two"}` + "\n" +
			`> {"emit":["{\"a\":\"$one\",\"b\":\"see $two\"}"]}` + "\n" + `< {"a":"$one","b":"see $two"}`, ""},
		{"name with another value", `> {"new":"k"}` + "\n" + `< {"k":"$one"}` + "\n" + `> {"new":"k"}` + "\n" + `< {"k":"$one"}`, `/k: want $one = "id-1", got "id-2"`},
		{"name that is no string", ab + `< {"a":"$n","b":"x"}` + "\n" + `< {"c":"$c"}` + "\n" + `> {"exit":"$n"}` + "\nexit 1", ""},
		{"unbound name", `> {"new":"$nothing"}`, "t.txtar:2: $nothing is sent before it was bound"},
		{"unbound name in a text", `> {"new":"x $nothing"}`, "$nothing is sent before it was bound"},
		{"dollars", `> {"emit":["{\"a\":\"$$1 $HOUSE\"}"]}` + "\n" + `< {"a":"$$1 $HOUSE"}`, ""},
		{"pieces", `> {"emit":["{\"t\":\"a\",\"d\":\"Hal\"}","{\"t\":\"a\",\"d\":\"lo\"}"]}` + "\n" + `<+ {"t":"a","d":"Hallo"}`, ""},
		{"pieces in one", `> {"emit":["{\"t\":\"a\",\"d\":\"Hallo\"}"]}` + "\n" + `<+ {"t":"a","d":"Hallo"}`, ""},
		{"wrong piece", `> {"emit":["{\"d\":\"Hal\"}","{\"d\":\"li\"}"]}` + "\n" + `<+ {"d":"Hallo"}`, `/d: want "Hallo", got "li"`},
		{"pieces of two strings", `> {"emit":["{\"t\":\"a\",\"d\":\"b\"}","{\"t\":\"a\",\"d\":\"b\"}"]}` + "\n" + `<+ {"t":"aa","d":"bb"}`, `/d: want "bb", got "b"`},
		{"pieces of one string twice", `> {"emit":["{\"t\":\"Hal\",\"d\":\"Hal\"}","{\"t\":\"lo\",\"d\":\"lo\"}"]}` + "\n" + `<+ {"t":"Hallo","d":"Hallo"}`, ""},
		{"pieces that go apart", `> {"emit":["{\"t\":\"Hal\",\"d\":\"Ha\"}","{\"t\":\"lo\",\"d\":\"lo\"}"]}` + "\n" + `<+ {"t":"Hallo","d":"Hallo"}`, `/d: want "Hallo", got "lo"`},
		{"unfinished pieces", `> {"emit":["{\"d\":\"Hal\"}"]}` + "\n" + "> EOF\n" + `<+ {"d":"Hallo"}`, "the output ended\nwant {\"d\":\"Hallo\"}"},
		{"exit code", `> {"exit":3}` + "\nexit 3", ""},
		{"wrong exit code", `> {"exit":3}` + "\nexit 4", "t.txtar:3: exit code 3, want 4"},
		{"unexpected exit code", `> {"exit":3}`, "at the end: exit code 3, want 0"},
		{"exit code 0 for an error", "exit 1", "t.txtar:2: exit code 0, want 1"},
		{"end of output", `> {"exit":0}` + "\n< EOF\nexit 0", ""},
		{"output goes on", "> ping\n< EOF", "t.txtar:3: unexpected line\n got pong"},
		{"file", `> {"touch":"$WORK/x"}` + "\nwait x\n> ping\n< pong", ""},
		{"touch", "touch x\n" + `> {"file":"$WORK/x"}` + "\n" + `< {"content":"","found":true}`, ""},
		{"restart with a name", `> {"new":"k"}` + "\n" + `< {"k":"$one"}` + "\nrestart args $one\n" + `< ["args" "id-1"]`, ""},
		{"quiet", "> ping\n< pong\nquiet", ""},
		{"not quiet", ab + `< {"a":1,"b":"x"}` + "\nquiet", "t.txtar:4: not quiet: the texts differ\nwant pong\n got {\"c\":[true,null]}"},
		{"signal", `> {"wait":true}` + "\n" + `< {"type":"waiting"}` + "\n! signal TERM\n" + `< {"type":"interrupted"}` + "\nexit 7", ""},
		{"wrong exit code after a signal", `> {"wait":true}` + "\n" + `< {"type":"waiting"}` + "\n! signal INT\n" + `< {"type":"interrupted"}` + "\nexit 0", "exit code 7, want 0"},
		{"extra line after a signal", `> {"wait":true}` + "\n" + `< {"type":"waiting"}` + "\n! signal TERM\n", "at the end: unexpected line\n got {\"type\":\"interrupted\"}"},
		{"restart", `> {"new":"k"}` + "\n" + `< {"k":"$k"}` + "\nrestart args \"b c\"\n" + `< ["args" "b c"]`, ""},
		{"restart after a failure", `> {"exit":1}` + "\nrestart", "t.txtar:3: exit code 1, want 0"},
		{"restart after an expected failure", `> {"exit":1}` + "\nexit 1\nrestart\n> ping\n< pong", ""},
		{"standard error is shown", `> {"note":"I am lost"}` + "\n> ping\n< pang", "standard error:\nI am lost\n"},
		{"passed over", "~ pong\n> ping\n" + ab + `< {"a":1,"b":"x"}` + "\n> ping\n" + `< {"c":[true,null]}` + "\n> ping", ""},
		{"passed over from here on", "> ping\n~ pong\n" + "> ping\n", ""},
		{"not passed over", "~ pang\n> ping\n", "unexpected line\n got pong"},
		{"later", "<~ pong\n> ping\n" + ab + `< {"a":1,"b":"x"}` + "\n" + `< {"c":[true,null]}`, ""},
		{"later, at the end", ab + `<~ {"c":["*",null]}` + "\n" + `< {"a":1,"b":"x"}`, ""},
		{"later with a name", `<~ {"k":"$one"}` + "\n" + `> {"new":"k"}` + "\n> ping\n< pong\n" + `> {"emit":["[\"$one\"]"]}` + "\n" + `< ["id-1"]`, ""},
		{"later, among lines with names", `<~ {"k":"$one"}` + "\n" + `> {"new":"k"}` + "\n" + `> {"new":"j"}` + "\n" + `< {"j":"$two"}` + "\n" + `> {"emit":["[\"$one\",\"$two\"]"]}` + "\n" + `< ["id-1","id-2"]`, ""},
		{"later only once", "<~ pong\n> ping\n> ping\n", "at the end: unexpected line\n got pong"},
		{"not later", "> ping\n< pong\n<~ pong", "at the end: the output ended\nwant pong"},
		{"not before the restart", "> ping\n< pong\n<~ pong\nrestart\n> ping", "t.txtar:5: the output ended\nwant pong"},
		{"file as it is", "touch x\n" + `file x ""` + "\nfile y none", ""},
		{"another file", "touch x\n" + `file x "y"`, `t.txtar:3: the file x has "", want "y"`},
		{"no file", `file x "y"`, "no such file"},
		{"a file too many", "touch x\nfile x none", "there is a file x"},
		{"dialogue is shown", "> ping\n< pang", "the dialogue so far:\n  > ping\n  < pong\n"},
	}
	for mode, o := range modes(t) {
		o.Probe = Probe{Send: "ping", Want: []string{"pong"}}
		for _, test := range tests {
			t.Run(mode+"/"+test.name, func(t *testing.T) {
				t.Parallel()
				err := performText(t.Context(), t, o, "-- wire --\n"+test.wire+"\n")
				switch {
				case test.want == "" && err != nil:
					t.Errorf("it fails: %v", err)
				case test.want != "" && err == nil:
					t.Error("it does not fail")
				case test.want != "" && !strings.Contains(err.Error(), test.want):
					t.Errorf("error %v\nlacks %s", err, test.want)
				}
			})
		}
	}
}

// TestGit: a transcript can work in a repository, and in one within it, and see that nothing of
// copies is left.
func TestGit(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("there is no git")
	}
	s, err := parse("t.txtar", []byte("-- workspace/a.txt --\na\n-- workspace/in/b.txt --\nb\n-- git --\nin in\nInner\n-- git --\n-- workspace/c.txt --\nc\n-- wire --\nclean\n"))
	if err != nil || !s.git {
		t.Fatal(err)
	}
	p, err := makeFolders(s, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct{ dir, args, want string }{
		{p.work, "log --format=%s%an", "FirstAna\n"},
		{p.work, "ls-files", "a.txt\nin\n"},
		{p.work, "status --porcelain", "?? c.txt\n"},
		{filepath.Join(p.work, "in"), "log --format=%s", "Inner\n"},
	} {
		if got, err := p.git(test.dir, strings.Fields(test.args)...); err != nil || got != test.want {
			t.Errorf("git %s: %q, %v", test.args, got, err)
		}
	}
	if err := p.clean(); err != nil {
		t.Error(err)
	}
	if _, err := p.git(p.work, "branch", "left"); err != nil {
		t.Fatal(err)
	}
	if err := p.clean(); err == nil || !strings.Contains(err.Error(), "left\n") {
		t.Errorf("a branch is not seen: %v", err)
	}
	if err := p.commit("in ../x\n"); err == nil {
		t.Error("a repository outside is made")
	}
}

func TestParseErrors(t *testing.T) {
	tests := []struct{ text, want string }{
		{"title\n", "t.txtar: no section wire"},
		{"title\n-- wire --\n> a\nsomething\n", `t.txtar:4: unknown line "something"`},
		{"title\n-- start --\nx\n-- wire --\n\n# ok\nexit now\n", "t.txtar:7: exit needs a code"},
		{"-- wire --\n! signal NONE\n", `t.txtar:2: unknown action "signal NONE"`},
		{"-- wire --\nwait\n", "t.txtar:2: wait needs a file of the workspace"},
		{"-- wire --\nwait ../x\n", "t.txtar:2: wait needs a file of the workspace"},
		{"-- wire --\n! TERM\n", `t.txtar:2: unknown action "TERM"`},
		{"-- wire --\nfile ../x none\n", "t.txtar:2: file needs a file of the workspace, and its text in quotes, or none"},
		{"-- wire --\nfile x y\n", "t.txtar:2: file needs a file of the workspace, and its text in quotes, or none"},
		{"-- wires --\n", "t.txtar:1: unexpected section wires"},
		{"-- wire --\n-- wire --\n", "t.txtar:2: unexpected section wire"},
		{"-- workspace/../a --\n-- wire --\n", "t.txtar:1: unexpected section workspace/../a"},
		{"-- model --\nnonsense\n-- wire --\n", `t.txtar: model:1: unknown word "nonsense"`},
	}
	for _, test := range tests {
		if _, err := parse("t.txtar", []byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestKill(t *testing.T) {
	o := modes(t)["process"]
	const wire = `> {"emit":["a","b"]}` + "\n< a\n! signal KILL\nexit -1\nrestart\n> ping\n< pong\n"
	if err := performText(t.Context(), t, o, "-- wire --\n"+wire); err != nil {
		t.Error(err)
	}
	s, err := parse("t.txtar", []byte("-- wire --\n"+wire))
	if err != nil || !s.kills() {
		t.Errorf("not seen as a transcript that kills: %v", err)
	}
}

// TestMissing: a line that does not come fails the transcript when its time is over.
func TestMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		err := performLimited(t, fake, "> ping\n< pong\n> {\"note\":\"hm\"}\n< {}\n")
		if !errors.Is(err, errLimit) || !strings.Contains(err.Error(), "t.txtar:5: waiting for\n  {}\n") || !strings.Contains(err.Error(), "hm\n") {
			t.Errorf("%v", err)
		}
	})
}

// TestMissingFile: a file that is never made fails the transcript, too.
func TestMissingFile(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errLimit)
	p := &play{folders: folders{work: t.TempDir()}}
	if err := p.awaitFile(ctx, "x"); !errors.Is(err, errLimit) || !strings.Contains(err.Error(), "waiting for the file x") {
		t.Errorf("%v", err)
	}
}

// TestHang: a program that does not end is given up when the time is over.
func TestHang(t *testing.T) {
	hang := func(ctx context.Context, _ []string, _ io.Reader, stdout, _ io.Writer, _ []string) int {
		<-ctx.Done()
		return 1
	}
	silent := func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		stdout.(io.Closer).Close()
		return hang(ctx, args, stdin, stdout, stderr, env)
	}
	synctest.Test(t, func(t *testing.T) {
		if err := performLimited(t, hang, ""); !errors.Is(err, errLimit) || !strings.Contains(err.Error(), "the program does not end") {
			t.Errorf("%v", err)
		}
		if err := performLimited(t, silent, ""); !errors.Is(err, errLimit) || !strings.Contains(err.Error(), "closed its output, but does not end") {
			t.Errorf("%v", err)
		}
	})
}

var errLimit = errors.New("too long")

// performLimited plays a dialogue in process, for a minute at most.
func performLimited(t *testing.T, serve func(context.Context, []string, io.Reader, io.Writer, io.Writer, []string) int, wire string) error {
	ctx, cancel := context.WithTimeoutCause(t.Context(), time.Minute, errLimit)
	defer cancel()
	return performText(ctx, t, Options{Serve: serve}, "-- wire --\n"+wire)
}

func TestUpdate(t *testing.T) {
	const before = `An id is kept.
-- wire --
# first
> {"emit":["{\"type\":\"start\",\"id\":7,\"why\":\"free words\",\"n\":2}","{\"type\":\"extra\",\"home\":\"$HOME\",\"price\":\"$$a\"}","{\"type\":\"end\",\"id\":7}"]}
< {"type":"start","id":"$id","why":"*","n":1}
# kept
< {"type":"end","id":"$id","old":true}
< {"type":"gone"}
> ping
< pong
> ping
< ?
`
	const after = `An id is kept.
-- wire --
# first
> {"emit":["{\"type\":\"start\",\"id\":7,\"why\":\"free words\",\"n\":2}","{\"type\":\"extra\",\"home\":\"$HOME\",\"price\":\"$$a\"}","{\"type\":\"end\",\"id\":7}"]}
< {"type":"start","id":"$id","why":"*","n":2}
< {"type":"extra","home":"$HOME","price":"$$a"}
# kept
< {"type":"end","id":"$id"}
> ping
< pong
> ping
< pong
`
	synctest.Test(t, func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "t.txtar")
		if err := os.WriteFile(path, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := parse(path, []byte(before))
		if err != nil {
			t.Fatal(err)
		}
		o := Options{Serve: fake}
		if err := perform(t.Context(), s, o, t.TempDir()); err == nil {
			t.Error("it holds before the update")
		}
		if err := rewrite(t.Context(), s, o, t.TempDir()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if string(got) != after {
			t.Errorf("got\n%s\nwant\n%s", got, after)
		}
		if err := performText(t.Context(), t, o, after); err != nil {
			t.Errorf("after the update: %v", err)
		}
	})
}

func TestBuild(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	path := Build(t)
	if again := Build(t); again != path {
		t.Errorf("built twice: %s and %s", path, again)
	}
	if out, err := exec.Command(path, "version").CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
