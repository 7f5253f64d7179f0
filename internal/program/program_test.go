package program

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestFind: a program is passed over that lies in a folder that commands may write, or is reached through one.
func TestFind(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("programs are scripts, and there are links")
	}
	root, err := os.MkdirTemp("/var/tmp", "parley-program-") // outside of what is passed over
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(root) })
	if root, err = filepath.EvalSymlinks(root); err != nil {
		t.Fatal(err)
	}
	at := func(name string) string { return filepath.Join(root, name) }
	temp := t.TempDir()
	for _, dir := range []string{at("system"), at("project/bin"), at("other"), at("links")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, path := range []string{at("system/tool"), at("project/bin/tool"), at("project/bin/only"), filepath.Join(temp, "tool")} {
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{
		at("project/back"): at("system"), at("links/tool"): "../project/bin/tool", at("fine"): at("system"), at("around"): at("project/back"),
	} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	Distrust(at("project"))
	for _, row := range []struct{ path, name, want string }{
		{at("system"), "tool", at("system/tool")},
		{at("project/bin") + ":" + at("system"), "tool", at("system/tool")},
		{temp + ":" + at("system"), "tool", at("system/tool")},
		{at("project/bin"), "only", ""},
		{at("links") + ":" + at("system"), "tool", at("system/tool")},        // the program is a link to one of the project
		{at("project/back") + ":" + at("system"), "tool", at("system/tool")}, // the project chooses where the link leads
		{at("around") + ":" + at("system"), "tool", at("system/tool")},
		{at("fine"), "tool", at("fine/tool")},
		{".:bin:" + at("system"), "tool", at("system/tool")},
		{at("other"), "tool", ""},
		{"", "tool", ""},
	} {
		got, err := FindIn(row.name, row.path)
		if got != row.want || (row.want == "") != errors.Is(err, ErrNotFound) {
			t.Errorf("%s on %s: %q, %v; want %q", row.name, row.path, got, err, row.want)
		}
	}
	if IsSafe(at("project/bin/tool")) || !IsSafe(at("system/tool")) {
		t.Error("IsSafe")
	}
	path := "x:" + at("project/bin") + ":" + at("fine") + ":" + at("around")
	if got := Environ([]string{"A=1", "PATH=" + path}); got[1] != "PATH="+at("fine") || got[0] != "A=1" {
		t.Errorf("Environ: %q", got)
	}
	t.Chdir(at("other"))
	if err := os.WriteFile(at("other/tool"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	if got, err := FindIn("tool", at("other")); err == nil {
		t.Errorf("the current folder has the program %s", got)
	}
	Distrust("/")
	if _, err := FindIn("tool", at("system")); err != nil {
		t.Errorf("the root counts: %v", err)
	}
}
