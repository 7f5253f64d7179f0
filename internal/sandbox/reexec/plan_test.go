package reexec

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Each further import delays the initialisation of this package, see doc.go.
func TestImports(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range file.Imports {
			if i.Path.Value != `"syscall"` && i.Path.Value != `"unsafe"` {
				t.Errorf("%s imports %s", name, i.Path.Value)
			}
		}
	}
}

func TestNoEffectWithoutVariable(t *testing.T) {
	if _, set := os.LookupEnv(Variable); set {
		t.Error("the variable is set in a test")
	}
}

var example = Plan{
	Path: "/bin/true", Args: []string{"true", "", "\x00\xff"}, Env: []string{"A=b"}, Dir: "/",
	Mounts: true, Writable: []string{"/w"}, Hidden: []string{"/s"}, HiddenWritable: []string{"/s/a"}, HiddenReadable: []string{"/s/b", "/s/c"}, RenameLocked: []string{"/w/a"}, Protected: []string{"/w/.git"}, Devices: true, Loopback: true,
	Capabilities: 1 << 63, HandledRights: 7, Scopes: 3, Rules: []Rule{{"/w", 5}, {"/dev/null", 1}}, Filter: []byte{1, 2, 3},
}

func TestPlan(t *testing.T) {
	for _, p := range []*Plan{{}, &example} {
		got, ok := Decode(p.Encode())
		if !ok {
			t.Fatalf("%+v is not read", p)
		}
		if len(got.Filter) == 0 {
			got.Filter = nil
		}
		if diff := cmp.Diff(p, got); diff != "" {
			t.Error(diff)
		}
	}
	whole := example.Encode()
	for n := range whole {
		if _, ok := Decode(whole[:n]); ok {
			t.Errorf("its first %d bytes are a plan", n)
		}
	}
	if _, ok := Decode(append(whole, 0)); ok {
		t.Error("one byte more is a plan")
	}
}

func TestFailure(t *testing.T) {
	want := Failure{Stage: StageChdir, Errno: 2, What: "/gone"}
	if got, ok := DecodeFailure(want.Encode()); !ok || got != want {
		t.Errorf("%+v", got)
	}
	if f, ok := DecodeFailure(nil); ok {
		t.Errorf("nothing is %+v", f)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(example.Encode())
	f.Add([]byte(magic))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, ok := Decode(data)
		if ok && string(p.Encode()) != string(data) {
			t.Errorf("%+v is encoded in another way", p)
		}
		DecodeFailure(data)
	})
}
