package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"
)

// gitNames are the files outside of internal/git that name the git program, with the reason why they do not run it.
var gitNames = map[string]string{
	"internal/backend/kind/agent.go":         "a folder of another agent",
	"internal/cli/doctor/doctor.go":          "it reports whether there is one",
	"internal/dialect/codex/protocol_tag.go": "a word of the protocol",
	"internal/tool/shell/program.go":         "on Windows bash lies beside it",
}

// TestGitStarts finds code that may start git without internal/git, which confines it.
func TestGitStarts(t *testing.T) {
	find := func(file *ast.File) []string {
		if namesGit(file) {
			return []string{"git"}
		}
		return nil
	}
	checkFiles(t, "internal/git", gitNames, find, "%s names the program %s: run it by git.Runner, which confines it, or add a row with the reason")
}

// namesGit reports whether a file gives "git" to a function, but to filepath.Join, or assigns it, as for a path of a program.
func namesGit(file *ast.File) (found bool) {
	isGit := func(e ast.Expr) bool {
		text, ok := e.(*ast.BasicLit)
		return ok && (text.Value == `"git"` || text.Value == "`git`" || text.Value == `"git.exe"`)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			selected, ok := n.Fun.(*ast.SelectorExpr)
			if ok && selected.Sel.Name == "Join" {
				return true
			}
			found = found || slices.ContainsFunc(n.Args, isGit)
		case *ast.KeyValueExpr:
			found = found || isGit(n.Value)
		case *ast.AssignStmt:
			found = found || slices.ContainsFunc(n.Rhs, isGit)
		case *ast.ValueSpec:
			found = found || slices.ContainsFunc(n.Values, isGit)
		}
		return true
	})
	return found
}

// TestNamesGit: each way to start git is found.
func TestNamesGit(t *testing.T) {
	for source, want := range map[string]bool{
		`var _ = exec.Command("git", "status")`: true, `var _ = exec.CommandContext(ctx, "git")`: true, `var path, err = program.Find("git")`: true,
		`var c = sandbox.Command{Path: "git"}`: true, `const name = "git"`: true, `var _ = filepath.Join(dir, "git")`: false, `var verb = "gitless"`: false,
	} {
		file, err := parser.ParseFile(token.NewFileSet(), "x.go", "package x\n"+source, 0)
		if err != nil {
			t.Fatal(err)
		}
		if namesGit(file) != want {
			t.Errorf("%s: %t", source, !want)
		}
	}
}
