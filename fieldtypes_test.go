package parley_test

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley.dev/parley/internal/racetest"
)

// The compiler loads the types of all fields of a struct, and of their fields, for each package that uses it. rootFolders have
// the structs that most packages use.
var rootFolders = []string{"internal/app", "internal/engine", "internal/tool", "internal/cli"}

// libraryTypes are the packages of other modules whose types these structs may reach, and why.
var libraryTypes = map[string]string{
	"github.com/go-json-experiment/json/jsontext": "JSON as it was written is part of settings",
	"github.com/gofrs/flock":                      "a temporary folder is locked while its process runs",
	"github.com/google/jsonschema-go/jsonschema":  "the schema of a tool's arguments is compiled once",
	"github.com/modelcontextprotocol/go-sdk/mcp":  "a connection to a tool server is one of its sessions",
	"github.com/spf13/pflag":                      "flags of a store are declared for several commands",
	"github.com/tailscale/hujson":                 "a file of settings is edited without losing its comments",
	"golang.org/x/sync/singleflight":              "a sign-in is renewed once for all requests",
	"golang.org/x/sys/windows":                    "a handle of a job is a number",
}

// A namedType is the declaration of a type.
type namedType struct {
	file file
	spec *ast.TypeSpec
}

// fieldTypes returns which types of other modules the exported structs of rootFolders reach through their fields and those
// of the types of these, unless allowed has their package, and which packages of allowed are not reached. A finding names each
// type once, with the way to it.
func fieldTypes(files []file, allowed map[string]string) (findings []string) {
	declared := map[string]namedType{} // by folder and name
	for _, f := range files {
		if f.isTest() {
			continue
		}
		for _, d := range f.tree.Decls {
			if group, ok := d.(*ast.GenDecl); ok {
				for _, s := range group.Specs {
					if spec, ok := s.(*ast.TypeSpec); ok {
						declared[f.folder()+"."+spec.Name.Name] = namedType{f, spec}
					}
				}
			}
		}
	}
	seen, used := map[string]bool{}, map[string]bool{}
	var visit func(name, way string)
	visit = func(name, way string) {
		t, ours := declared[name]
		if seen[name] {
			return
		}
		seen[name] = true
		way = strings.TrimPrefix(way+" > "+name, " > ")
		if ours {
			for _, next := range usedTypes(t) {
				visit(next, way)
			}
			return
		}
		imported := strings.TrimSuffix(name, path.Ext(name))
		if host, _, _ := strings.Cut(imported, "/"); !strings.Contains(host, ".") || host == "." {
			return // the standard library, a predeclared type or a type parameter
		}
		used[imported] = true
		if _, listed := allowed[imported]; !listed {
			findings = append(findings, fmt.Sprintf("%s: each package that uses the first of these types is compiled with the types of that module", way))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(declared)) {
		t := declared[name]
		if _, is := t.spec.Type.(*ast.StructType); is && t.spec.Name.IsExported() && slices.Contains(rootFolders, t.file.folder()) {
			visit(name, "")
		}
	}
	for _, name := range slices.Sorted(maps.Keys(allowed)) {
		if !used[name] {
			findings = append(findings, name+" is in no field: remove it from libraryTypes")
		}
	}
	return findings
}

// usedTypes returns the types that a declaration names, each with its folder or, if it is another module's, its import path.
func usedTypes(t namedType) (names []string) {
	ast.Inspect(t.spec.Type, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Field:
			names = append(names, usedTypes(namedType{t.file, &ast.TypeSpec{Type: n.Type}})...)
			return false
		case *ast.SelectorExpr:
			if from, ok := n.X.(*ast.Ident); ok {
				names = append(names, importOf(t.file, from.Name)+"."+n.Sel.Name)
			}
			return false
		case *ast.Ident:
			names = append(names, t.file.folder()+"."+n.Name)
		}
		return true
	})
	return names
}

var majorVersion = regexp.MustCompile(`^v\d+$`)

// importOf returns the folder of a package that a file imports under that name, or its path if it is not this module's.
func importOf(f file, name string) string {
	for _, spec := range f.tree.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
		called := path.Base(imported)
		if majorVersion.MatchString(called) {
			called = path.Base(path.Dir(imported))
		}
		called = strings.TrimSuffix(strings.TrimPrefix(called, "go-"), ".go")
		if spec.Name != nil {
			called = spec.Name.Name
		}
		if called == name {
			return strings.TrimPrefix(imported, module)
		}
	}
	return "" // the compiler would have found it
}

func TestFieldTypes(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	for _, f := range fieldTypes(moduleSource(t), libraryTypes) {
		t.Error(f)
	}
}

// TestFieldTypesFindsViolations feeds the check structs that break its rule.
func TestFieldTypesFindsViolations(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	const meter = `package meter
import ("context"; sdk "example.com/sdk/v2/trace")
type Meter struct { stop func(context.Context) error; spans map[string][]*sdk.Provider }
type API interface { Shutdown(sdk.Context) error }`
	for _, test := range []struct {
		rule, app string
		allowed   map[string]string
		want      string // part of the one finding; "": none
	}{
		{rule: "of another package", app: `import "parley.dev/parley/internal/meter"; type App struct { m *meter.Meter }`, want: "App > internal/meter.Meter > example.com/sdk/v2/trace.Provider:"},
		{rule: "of an interface", app: `import "parley.dev/parley/internal/meter"; type App struct { m meter.API }`, want: "example.com/sdk/v2/trace.Context:"},
		{rule: "of its own", app: `import "example.com/go-sdk/v2"; type App struct { m part[int] }; type part[T any] struct { T; sdk.Part }`, want: "internal/app.part > example.com/go-sdk/v2.Part:"},
		{rule: "listed", app: `import "example.com/sdk"; type App struct { m sdk.Part }`, allowed: map[string]string{"example.com/sdk": "small"}},
		{rule: "listed for nothing", app: `type App struct{}`, allowed: map[string]string{"example.com/sdk": "small"}, want: "example.com/sdk is in no field"},
		{rule: "not exported", app: `import "example.com/sdk"; type app struct { m sdk.Part }`},
		{rule: "in a function", app: `import "example.com/sdk"; type App struct { m int }; func (App) f(sdk.Part) {}`},
		{rule: "the standard library", app: `import "net/http"; type App struct { m http.Client }`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			found := fieldTypes(source(t, fstest.MapFS{
				"internal/app/a.go": {Data: []byte("package app\n" + test.app)}, "internal/meter/m.go": {Data: []byte(meter)},
			}), test.allowed)
			switch {
			case test.want == "" && len(found) > 0:
				t.Errorf("found %q, want nothing", found)
			case test.want != "" && (len(found) != 1 || !strings.Contains(found[0], test.want)):
				t.Errorf("found %q, want one with %q", found, test.want)
			}
		})
	}
}
