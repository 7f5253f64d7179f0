package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"maps"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// printEngine prints the number of fields and methods of the engine's Session, the number of its
// options, and the shortest chain of calls from a prompt to the request to the model.
func printEngine(pkgs []*packages.Package, path string) error {
	at := slices.IndexFunc(pkgs, func(p *packages.Package) bool { return p.PkgPath == path })
	if at < 0 {
		return fmt.Errorf("there is no package %s", path)
	}
	engine := pkgs[at].Types
	session, err := structOf(engine, "Session")
	if err != nil {
		return err
	}
	options, err := structOf(engine, "Options")
	if err != nil {
		return err
	}
	named := types.NewPointer(engine.Scope().Lookup("Session").Type())
	exported := 0
	for m := range types.NewMethodSet(named).Methods() {
		if m.Obj().Exported() {
			exported++
		}
	}
	fmt.Printf("\nSession: %d fields, %d exported methods\n", session.NumFields(), exported)

	fields := optionFields(engine, options, "")
	users := usersOf(pkgs, fields)
	var single, unused []string
	for f, name := range fields {
		switch len(users[f]) {
		case 0:
			unused = append(unused, name)
		case 1:
			if user := slices.Collect(maps.Keys(users[f]))[0]; strings.Contains(user, "/dialect/") {
				single = append(single, name)
			}
		}
	}
	slices.Sort(single)
	slices.Sort(unused)
	fmt.Printf("Options: %d fields; %d set by one dialect only: %s\n", len(fields), len(single), strings.Join(single, " "))
	fmt.Printf("         %d set nowhere but in the engine: %s\n", len(unused), strings.Join(unused, " "))

	way := wayOf(pkgs, path)
	fmt.Printf("Prompt:  %d stops to the model: %s\n", len(way), strings.Join(way, " "))
	return nil
}

func structOf(p *types.Package, name string) (*types.Struct, error) {
	obj := p.Scope().Lookup(name)
	if obj == nil {
		return nil, fmt.Errorf("%s has no type %s", p.Path(), name)
	}
	s, ok := obj.Type().Underlying().(*types.Struct)
	if !ok {
		return nil, fmt.Errorf("%s.%s is not a struct", p.Path(), name)
	}
	return s, nil
}

// optionFields returns the exported fields of s with their names. Fields that are structs of the
// package p are replaced by their own fields.
func optionFields(p *types.Package, s *types.Struct, prefix string) map[*types.Var]string {
	fields := map[*types.Var]string{}
	for f := range s.Fields() {
		named, _ := f.Type().(*types.Named)
		inner, isStruct := f.Type().Underlying().(*types.Struct)
		if named != nil && isStruct && named.Obj().Pkg() == p {
			maps.Copy(fields, optionFields(p, inner, prefix+f.Name()+"."))
			continue
		}
		if f.Exported() {
			fields[f] = prefix + f.Name()
		}
	}
	return fields
}

// usersOf finds the packages, other than the one that declares it, that set each field.
func usersOf(pkgs []*packages.Package, fields map[*types.Var]string) map[*types.Var]map[string]bool {
	users := map[*types.Var]map[string]bool{}
	for _, p := range pkgs {
		set := func(e ast.Expr) {
			if sel, ok := e.(*ast.SelectorExpr); ok {
				e = sel.Sel
			}
			id, ok := e.(*ast.Ident)
			if !ok {
				return
			}
			f, ok := p.TypesInfo.Uses[id].(*types.Var)
			if !ok || fields[f] == "" || f.Pkg() == p.Types {
				return
			}
			if users[f] == nil {
				users[f] = map[string]bool{}
			}
			users[f][p.PkgPath] = true
		}
		for _, file := range p.Syntax {
			ast.Inspect(file, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.KeyValueExpr:
					set(n.Key)
				case *ast.AssignStmt:
					for _, e := range n.Lhs {
						set(e)
					}
				}
				return true
			})
		}
	}
	return users
}

// wayOf returns the shortest chain of functions of the engine from Client.Submit to the one that
// calls the model's provider. A function that is passed as a value counts as called.
func wayOf(pkgs []*packages.Package, path string) []string {
	calls := map[*types.Func][]*types.Func{}
	var start *types.Func
	asks := map[*types.Func]bool{}
	for _, p := range pkgs {
		if p.PkgPath != path {
			continue
		}
		for _, file := range p.Syntax {
			for _, d := range file.Decls {
				decl, ok := d.(*ast.FuncDecl)
				if !ok {
					continue
				}
				fn := p.TypesInfo.Defs[decl.Name].(*types.Func)
				if fn.Name() == "Submit" && receiver(fn) == "Client" {
					start = fn
				}
				ast.Inspect(decl, func(n ast.Node) bool {
					id, ok := n.(*ast.Ident)
					if !ok {
						return true
					}
					used, ok := p.TypesInfo.Uses[id].(*types.Func)
					if !ok || used.Pkg() == nil {
						return true
					}
					if used.Pkg() == p.Types {
						calls[fn] = append(calls[fn], used)
					}
					if receiver(used) == "Provider" && strings.HasSuffix(used.Pkg().Path(), "/model") {
						asks[fn] = true
					}
					return true
				})
			}
		}
	}
	return shortest(start, calls, asks)
}

func shortest(start *types.Func, calls map[*types.Func][]*types.Func, ends map[*types.Func]bool) []string {
	came := map[*types.Func]*types.Func{start: nil}
	for queue := []*types.Func{start}; len(queue) > 0; queue = queue[1:] {
		fn := queue[0]
		if ends[fn] {
			var way []string
			for ; fn != nil; fn = came[fn] {
				way = append(way, fn.Name())
			}
			slices.Reverse(way)
			return way
		}
		for _, next := range calls[fn] {
			if _, seen := came[next]; !seen {
				came[next] = fn
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// receiver returns the name of the type that fn is a method of.
func receiver(fn *types.Func) string {
	recv := fn.Signature().Recv()
	if recv == nil {
		return ""
	}
	t := recv.Type()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem()
	}
	named, ok := t.(*types.Named)
	if !ok {
		return ""
	}
	return named.Obj().Name()
}
