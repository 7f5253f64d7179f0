// Shape prints how tangled the packages of the program are: for each package the number of pairs
// of files where one calls the other, and how many of these calls point upward in the best order
// of the files that it finds, callers first. Then it prints the number of fields, methods and
// options of the engine's Session, and the chain of calls from a prompt to the request to the model.
//
// Usage:
//
//	go run ./shape [-dir DIR] [-files PACKAGE] [-engine PACKAGE] [PATTERN ...]
package main

import (
	"cmp"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"golang.org/x/tools/go/packages"
)

func main() {
	log.SetFlags(0)
	dir := flag.String("dir", "..", "the `folder` of the module to look at")
	files := flag.String("files", "", "print the files of this `package` in order, and the calls upward")
	engine := flag.String("engine", "parley.dev/parley/internal/engine", "the `package` of the engine")
	flag.Parse()
	patterns := flag.Args()
	if len(patterns) == 0 {
		patterns = []string{"./cmd/...", "./internal/..."}
	}
	pkgs, err := load(*dir, patterns)
	if err != nil {
		log.Fatal(err)
	}
	if *files != "" {
		err = printFiles(pkgs, *files)
	} else {
		printPackages(pkgs)
		err = printEngine(pkgs, *engine)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// load reads and type-checks the packages of patterns.
func load(dir string, patterns []string) ([]*packages.Package, error) {
	pkgs, err := packages.Load(&packages.Config{
		Dir:  dir,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, patterns...)
	if err == nil && packages.PrintErrors(pkgs) > 0 {
		err = fmt.Errorf("the packages in %s do not compile", dir)
	}
	return pkgs, err
}

// few is the number of files up to which a package is not printed.
const few = 8

func printPackages(pkgs []*packages.Package) {
	type row struct {
		path                          string
		files, lines, arrows, upwards int
	}
	var rows []row
	for _, p := range pkgs {
		g := callsBetweenFiles(p)
		if len(p.Syntax) > few {
			rows = append(rows, row{p.PkgPath, len(p.Syntax), lines(p), len(g.arrows()), len(g.upward(g.order()))})
		}
	}
	slices.SortFunc(rows, func(a, b row) int { return cmp.Or(b.upwards-a.upwards, b.arrows-a.arrows) })
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "upward\tcalls\tfiles\tlines\t  package")
	for _, r := range rows {
		_, path, _ := strings.Cut(r.path, "parley.dev/parley/")
		fmt.Fprintf(w, "%d\t%d\t%d\t%d\t  %s\n", r.upwards, r.arrows, r.files, r.lines, path)
	}
	_ = w.Flush()
}

func printFiles(pkgs []*packages.Package, name string) error {
	for _, p := range pkgs {
		if p.PkgPath != name && !strings.HasSuffix(p.PkgPath, "/"+name) {
			continue
		}
		g := callsBetweenFiles(p)
		order := g.order()
		for _, file := range order {
			fmt.Println(file)
		}
		fmt.Println()
		for _, a := range g.upward(order) {
			fmt.Printf("%s calls %s: %s\n", a.from, a.to, strings.Join(g[a.from][a.to], ", "))
		}
		return nil
	}
	return fmt.Errorf("there is no package %s", name)
}

func lines(p *packages.Package) (n int) {
	for _, f := range p.Syntax {
		n += p.Fset.File(f.Pos()).LineCount()
	}
	return n
}
