package main

import (
	"go/ast"
	"go/types"
	"maps"
	"math"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"
)

// A graph holds the calls between the files of a package: caller, callee, and the names of the
// functions called.
type graph map[string]map[string][]string

// An arrow says that one file calls something in another.
type arrow struct{ from, to string }

// callsBetweenFiles finds, for each file of p, the functions and methods of other files that it uses.
func callsBetweenFiles(p *packages.Package) graph {
	g := graph{}
	fileOf := func(n ast.Node) string { return filepath.Base(p.Fset.File(n.Pos()).Name()) }
	for _, f := range p.Syntax {
		from := fileOf(f)
		g[from] = map[string][]string{}
		ast.Inspect(f, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			fn, ok := p.TypesInfo.Uses[id].(*types.Func)
			if !ok || fn.Pkg() != p.Types || !fn.Pos().IsValid() || isOfInterface(fn) {
				return true
			}
			to := filepath.Base(p.Fset.File(fn.Pos()).Name())
			if to != from && !slices.Contains(g[from][to], fn.Name()) {
				g[from][to] = append(g[from][to], fn.Name())
			}
			return true
		})
	}
	return g
}

// isOfInterface reports whether fn is a method of an interface: the code that runs may be anywhere.
func isOfInterface(fn *types.Func) bool {
	recv := fn.Signature().Recv()
	return recv != nil && types.IsInterface(recv.Type())
}

func (g graph) arrows() (all []arrow) {
	for _, from := range slices.Sorted(maps.Keys(g)) {
		for _, to := range slices.Sorted(maps.Keys(g[from])) {
			all = append(all, arrow{from, to})
		}
	}
	return all
}

// upward returns the arrows that point from a later file to an earlier one. In a package that reads
// from top to bottom, callers come first and there are none.
func (g graph) upward(order []string) (up []arrow) {
	place := map[string]int{}
	for i, file := range order {
		place[file] = i
	}
	for _, a := range g.arrows() {
		if place[a.from] > place[a.to] {
			up = append(up, a)
		}
	}
	return up
}

// order returns an order of the files with few arrows upward: the greedy one of Eades, Lin and Smyth
// (1993), improved by moving single files as long as that helps. The fewest possible may be fewer.
func (g graph) order() []string {
	order := g.greedy()
	for improved := true; improved; {
		improved = false
		for _, file := range slices.Sorted(maps.Keys(g)) {
			if best := g.moved(order, file); best != nil {
				order, improved = best, true
			}
		}
	}
	return order
}

// moved returns order with file at the place where it has the fewest arrows upward, or nil if it is
// there already.
func (g graph) moved(order []string, file string) []string {
	rest := slices.DeleteFunc(slices.Clone(order), func(f string) bool { return f == file })
	at := slices.Index(order, file)
	// Cost is the number of upward arrows from and to file, less the number with file at the top.
	cost, costAt, least, best := 0, 0, 0, 0
	for i := 0; i <= len(rest); i++ {
		if i == at {
			costAt = cost
		}
		if cost < least {
			least, best = cost, i
		}
		if i < len(rest) {
			cost += one(g[file][rest[i]]) - one(g[rest[i]][file])
		}
	}
	if least >= costAt {
		return nil
	}
	return slices.Insert(rest, best, file)
}

// greedy puts files that call nothing at the end, files that nothing calls at the beginning, and
// in between, first, the one that calls most for what it is called.
func (g graph) greedy() []string {
	left := map[string]bool{}
	for file := range g {
		left[file] = true
	}
	var first, last []string
	for len(left) > 0 {
		file, calls := g.next(left)
		delete(left, file)
		if calls {
			first = append(first, file)
		} else {
			last = append(last, file)
		}
	}
	slices.Reverse(last)
	return append(first, last...)
}

// next chooses the file that greedy places next; calls reports whether it calls any of left.
func (g graph) next(left map[string]bool) (file string, calls bool) {
	most := math.MinInt
	for _, f := range slices.Sorted(maps.Keys(left)) {
		out, in := g.degrees(f, left)
		if out == 0 {
			return f, false
		}
		if in == 0 {
			out = math.MaxInt
		}
		if out-in > most {
			file, most = f, out-in
		}
	}
	return file, true
}

// degrees counts the files among left that file calls, and that call it.
func (g graph) degrees(file string, left map[string]bool) (out, in int) {
	for other := range left {
		out += one(g[file][other])
		in += one(g[other][file])
	}
	return out, in
}

// one returns 1 if names is not empty, else 0.
func one(names []string) int { return min(len(names), 1) }
