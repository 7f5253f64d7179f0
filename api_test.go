package parley_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"path"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"parley.dev/parley/internal/racetest"
)

// publicPackages are the folders of the packages that other programs import.
var publicPackages = map[string]bool{".": true, "client": true, "record": true}

// TestPublicAPI: what the public packages export mentions no type that other programs cannot import or name.
func TestPublicAPI(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	found := 0
	for _, f := range moduleSource(t) {
		if !publicPackages[f.folder()] || f.isTest() {
			continue
		}
		found++
		for _, finding := range hiddenTypes(f) {
			t.Error(finding)
		}
	}
	if found == 0 {
		t.Error("there are no public packages")
	}
}

// hiddenTypes finds types of internal packages, and unexported ones, in the exported declarations of a file.
func hiddenTypes(f file) (findings []string) {
	w := apiWalk{file: f, internal: internalImports(f)}
	for _, decl := range f.tree.Decls {
		switch d := decl.(type) {
		case *ast.FuncDecl:
			if d.Name.IsExported() && (d.Recv == nil || ast.IsExported(receiver(d))) {
				w.check(d.Name, d.Type)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				w.spec(spec)
			}
		}
	}
	return w.findings
}

// internalImports returns the names by which a file knows internal packages.
func internalImports(f file) map[string]bool {
	names := map[string]bool{}
	for _, spec := range f.tree.Imports {
		imported, _ := strconv.Unquote(spec.Path.Value) // it was parsed
		name := path.Base(imported)
		if spec.Name != nil {
			name = spec.Name.Name
		}
		names[name] = strings.Contains("/"+imported+"/", "/internal/")
	}
	return names
}

// receiver returns the name of the type of a method.
func receiver(d *ast.FuncDecl) string {
	typ := d.Recv.List[0].Type
	if star, ok := typ.(*ast.StarExpr); ok {
		typ = star.X
	}
	if generic, ok := typ.(*ast.IndexExpr); ok {
		typ = generic.X
	}
	return typ.(*ast.Ident).Name
}

// An apiWalk collects what is wrong with the exported declarations of a file.
type apiWalk struct {
	file     file
	internal map[string]bool
	findings []string
}

// spec checks the exported names of a declaration of types, variables or constants.
func (w *apiWalk) spec(spec ast.Spec) {
	switch s := spec.(type) {
	case *ast.TypeSpec:
		if s.Name.IsExported() {
			w.check(s.Name, s.Type)
			if s.TypeParams != nil {
				w.check(s.Name, s.TypeParams)
			}
		}
	case *ast.ValueSpec:
		for i, name := range s.Names {
			switch {
			case !name.IsExported():
			case s.Type != nil:
				w.check(name, s.Type)
			case i < len(s.Values):
				w.value(name, s.Values[i])
			}
		}
	}
}

// value checks a value whose type is not written down: it must not come from an internal package.
func (w *apiWalk) value(name *ast.Ident, value ast.Expr) {
	ast.Inspect(value, func(n ast.Node) bool {
		if sel, ok := n.(*ast.SelectorExpr); ok {
			w.selector(name, sel)
			return false
		}
		return true
	})
}

// check looks for hidden types in a type, without the unexported fields of structs.
func (w *apiWalk) check(name *ast.Ident, node ast.Node) {
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.SelectorExpr:
			w.selector(name, n)
			return false
		case *ast.Field:
			w.field(name, n)
			return false
		case *ast.Ident:
			if !n.IsExported() && !predeclared[n.Name] {
				w.report(name, "the unexported type "+n.Name)
			}
		}
		return true
	})
}

// field checks the type of a parameter, of a method of an interface, or of a field that is exported.
func (w *apiWalk) field(name *ast.Ident, f *ast.Field) {
	for _, own := range f.Names {
		if !own.IsExported() && w.inStruct(own) {
			return
		}
	}
	w.check(name, f.Type)
}

// inStruct reports whether a name is that of a field of a struct.
func (w *apiWalk) inStruct(own *ast.Ident) (found bool) {
	ast.Inspect(w.file.tree, func(n ast.Node) bool {
		if s, ok := n.(*ast.StructType); ok {
			for _, f := range s.Fields.List {
				for _, name := range f.Names {
					found = found || name == own
				}
			}
		}
		return !found
	})
	return found
}

func (w *apiWalk) selector(name *ast.Ident, sel *ast.SelectorExpr) {
	if from, ok := sel.X.(*ast.Ident); ok && w.internal[from.Name] {
		w.report(name, "the internal "+from.Name+"."+sel.Sel.Name)
	}
}

func (w *apiWalk) report(name *ast.Ident, what string) {
	w.findings = append(w.findings, fmt.Sprintf("%s: %s mentions %s, which other programs cannot use", w.file.path, name.Name, what))
}

// predeclared are the types of the language.
var predeclared = func() map[string]bool {
	names := map[string]bool{}
	for name := range strings.FieldsSeq("any bool byte comparable error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr") {
		names[name] = !token.IsKeyword(name)
	}
	return names
}()

// TestHiddenTypes feeds the check what it has to find.
func TestHiddenTypes(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"func F(e engine.Options) {}", "F mentions the internal engine.Options"},
		{"func F() (list []*engine.Options, err error) { return nil, nil }", "F mentions the internal engine.Options"},
		{"func f(e engine.Options) {}", ""},
		{"type T struct{ A engine.Options }", "T mentions the internal engine.Options"},
		{"type T struct{ a engine.Options }", ""},
		{"type T struct{ engine.Options }", "T mentions the internal engine.Options"},
		{"type T = engine.Options", "T mentions the internal engine.Options"},
		{"type T interface{ M(engine.Options) }", "T mentions the internal engine.Options"},
		{"type T struct{ F func(context.Context, map[string]engine.Options) }", "T mentions the internal engine.Options"},
		{"type T struct{}\nfunc (t *T) M() engine.Options { panic(1) }", "M mentions the internal engine.Options"},
		{"type t struct{}\nfunc (t *t) M() engine.Options { panic(1) }", ""},
		{"type t struct{}\nfunc F() t { return t{} }", "F mentions the unexported type t"},
		{"var V = engine.Defaults()", "V mentions the internal engine.Defaults"},
		{"var V error = engine.ErrIdle", ""},
		{"func F(ctx context.Context, text string) error { _ = engine.Defaults(); return nil }", ""},
	} {
		files := source(t, fstest.MapFS{"x.go": {Data: []byte("package p\nimport (\n\"context\"\n\"parley.dev/parley/internal/engine\"\n)\n" + test.text)}})
		found := hiddenTypes(files[0])
		switch {
		case test.want == "" && len(found) > 0:
			t.Errorf("%s: found %q, want nothing", test.text, found)
		case test.want != "" && (len(found) != 1 || !strings.Contains(found[0], test.want)):
			t.Errorf("%s: found %q, want one with %q", test.text, found, test.want)
		}
	}
}
