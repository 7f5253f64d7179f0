package tool

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/tool/workspace"
)

// The searches run over the sources of Go's standard library.
func benchmarkSearch(b *testing.B, tool Tool, in in) {
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Skip(err)
	}
	w, err := workspace.Open(filepath.Join(strings.TrimSpace(string(root)), "src"))
	if err != nil {
		b.Skip(err)
	}
	defer w.Close()
	call, err := prepareTool(b, w, tool, in)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if got := call.Run(b.Context(), Hooks{}); got.IsError || len(got.Text) < 100 {
			b.Fatal(got.Text)
		}
	}
}

func BenchmarkGlob(b *testing.B) {
	benchmarkSearch(b, Glob(), in{"pattern": "**/*_test.go"})
}

func BenchmarkGrepLiteral(b *testing.B) {
	benchmarkSearch(b, Grep(), in{"pattern": "ErrUnexpectedEOF", "mode": "count"})
}

func BenchmarkGrepWords(b *testing.B) {
	benchmarkSearch(b, Grep(), in{"pattern": `func \(\w+ \*?\w+\) Close\(`, "mode": "count"})
}

func BenchmarkGrepNoLiteral(b *testing.B) {
	benchmarkSearch(b, Grep(), in{"pattern": `(?i)unexpected|panicked`, "mode": "count"})
}
