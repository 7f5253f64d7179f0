package dialecttest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// A Struct is one that a wire file declares.
type Struct struct {
	Package string
	Name    string
	// Tag is what the comment after its field Type says, without quotes, if it has that field.
	Tag    string
	Tagged bool
}

// A Constant is a text that a wire file declares.
type Constant struct {
	Name, Type, Value string // Type "": none is written
}

// Declared returns what protocol*.go in this folder, and in the rooms of the dialect below it, declares,
// in the order of the files.
func Declared(t testing.TB) (structs []Struct, constants []Constant) {
	t.Helper()
	paths, err := filepath.Glob("protocol*.go")
	if err != nil || len(paths) == 0 {
		t.Fatal("no wire files", err)
	}
	rooms, err := filepath.Glob("*/protocol*.go")
	if err != nil {
		t.Fatal(err)
	}
	return DeclaredIn(t, append(paths, rooms...)...)
}

// DeclaredIn returns what files declare, in their order.
func DeclaredIn(t testing.TB, paths ...string) (structs []Struct, constants []Constant) {
	t.Helper()
	for _, path := range paths {
		tree, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(tree, func(n ast.Node) bool {
			switch spec := n.(type) {
			case *ast.TypeSpec:
				if fields, ok := spec.Type.(*ast.StructType); ok {
					s := declaredStruct(spec.Name.Name, fields.Fields.List)
					s.Package = tree.Name.Name
					structs = append(structs, s)
				}
				return false
			case *ast.ValueSpec:
				if c, ok := declaredConstant(spec); ok {
					constants = append(constants, c)
				}
				return false
			}
			return true
		})
	}
	return structs, constants
}

func declaredStruct(name string, fields []*ast.Field) Struct {
	s := Struct{Name: name}
	for _, f := range fields {
		if len(f.Names) == 1 && f.Names[0].Name == "Type" {
			s.Tag, s.Tagged = strings.Trim(strings.TrimSpace(f.Comment.Text()), `"`), true
		}
	}
	return s
}

func declaredConstant(spec *ast.ValueSpec) (Constant, bool) {
	if len(spec.Values) == 0 {
		return Constant{}, false
	}
	literal, ok := spec.Values[0].(*ast.BasicLit)
	if !ok || literal.Kind != token.STRING {
		return Constant{}, false
	}
	value, _ := strconv.Unquote(literal.Value) // it was parsed
	c := Constant{Name: spec.Names[0].Name, Value: value}
	if of, ok := spec.Type.(*ast.Ident); ok {
		c.Type = of.Name
	}
	return c, true
}
