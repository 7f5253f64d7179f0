package main

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"parley.dev/parley/internal/cli/hostprogram"
	"parley.dev/parley/internal/companion"
	"parley.dev/parley/internal/export/page/program"
)

var update = flag.Bool("update", false, "rewrite the expected output in testdata/cli")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"parley": replaceable, "scaiflux": main, "codex": main, "pisces": main, "omp": main,
		companion.Host:    func() { os.Exit(hostprogram.Run()) },
		companion.Console: func() { os.Exit(program.Run()) },
	})
}

// replaceable is main. Executed in its place, parley-host has the name of parley as its first argument.
func replaceable() {
	if self, err := os.Executable(); err == nil && filepath.Base(self) == companion.Host {
		os.Exit(hostprogram.Run())
	}
	main()
}

// TestCommandLine plays testdata/cli: each file is a shell-like script around the program.
func TestCommandLine(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/cli",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(filepath.Dir(env.WorkDir), "home-of-"+filepath.Base(env.WorkDir)) // not below the workspace
			env.Setenv("HOME", home)
			if cache, err := os.UserCacheDir(); err == nil { // the demo compiles a test
				env.Setenv("GOCACHE", filepath.Join(cache, "go-build"))
			}
			return os.Mkdir(home, 0o700)
		},
	})
}
