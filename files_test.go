package parley_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// plainReads are the files that open paths by os.Open or os.ReadFile, with the reason why a pipe, a device or an endless file
// cannot be there. All others use internal/regular.
var plainReads = map[string]string{
	"internal/atomicfile/file_unix.go":          "a folder, to sync it",
	"internal/app/environ_linux.go":             "/proc of this process",
	"internal/cli/demo/demo.go":                 "a file of the demo's own folder",
	"internal/cli/pages_linux.go":               "/proc of this process",
	"internal/conform/options.go":               "files of a folder that are regular when it is walked",
	"internal/conform/process_linux.go":         "/proc",
	"internal/host/lock.go":                     "a file of the state folder that the host has locked",
	"internal/host/socket/own_linux.go":         "/proc/net",
	"internal/journal/file/rebuild.go":          "a folder of the store",
	"internal/sandbox/git_folders.go":           "a file that was looked at, at most 1 MiB of it",
	"internal/sandbox/orphans_linux.go":         "/proc",
	"internal/sandbox/repositories_linux.go":    "a folder that was looked at",
	"internal/sandbox/watchdog/marked_linux.go": "/proc",
	"internal/skill/find.go":                    "a folder that was looked at",
	"internal/subagent/worktree/checkout.go":    "an index that git has just written in the program's own folder",
	"internal/tool/snapshot/repository.go":      "an index that git has just written in the program's own folder",
	"internal/subagent/worktree/notes.go":       "a file of the program's own folder",
}

// testHelpers are packages that only tests use.
var testHelpers = []string{"internal/backend/backendtest", "internal/dialect/dialecttest", "internal/model/modeltest", "internal/stream/natstest", "internal/transcript"}

// TestFilesAreRegular finds code that opens files in a way that waits for the other end of a pipe, or reads a device without end.
func TestFilesAreRegular(t *testing.T) {
	checkFiles(t, "internal/regular", plainReads, plainReadsOf, "%s calls %s: a path that a user, a client or a project names is read by internal/regular, with a limit")
}

// checkFiles reports what find finds in the files of the program but those of one package, unless allowed has a row for the file,
// and rows for files in which it finds nothing. The format of the problem has the path and what was found.
func checkFiles(t *testing.T, but string, allowed map[string]string, find func(*ast.File) []string, problem string) {
	t.Helper()
	unused := maps.Clone(allowed)
	for _, folder := range []string{"internal", "cmd", "client", "record"} {
		err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
			path = filepath.ToSlash(path)
			if d != nil && d.IsDir() && (slices.Contains(testHelpers, path) || path == but) {
				return filepath.SkipDir
			}
			if err != nil || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			for _, found := range find(file) {
				if allowed[path] == "" {
					t.Errorf(problem, path, found)
				}
				delete(unused, path)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	for path := range unused {
		t.Errorf("%s has a row that it does not need any more", path)
	}
}

// plainReadsOf returns the calls in a file that open a path without a look at what is there.
func plainReadsOf(file *ast.File) (calls []string) {
	ast.Inspect(file, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		if selected, ok := call.Fun.(*ast.SelectorExpr); ok {
			if pkg, ok := selected.X.(*ast.Ident); ok {
				if name := pkg.Name + "." + selected.Sel.Name; name == "os.Open" || name == "os.ReadFile" || name == "tls.LoadX509KeyPair" {
					calls = append(calls, name)
				}
			}
		}
		return true
	})
	return calls
}
