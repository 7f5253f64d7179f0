//go:build unix

package serve

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"parley.dev/parley/internal/dialect/pisces"
)

// A prompt option takes a text or the path of a file. What is there may be a pipe, a device or a file without end.
func TestPromptsOfFiles(t *testing.T) {
	dir := t.TempDir()
	for name, make := range map[string]func(path string) error{
		"file": func(path string) error { return os.WriteFile(path, []byte("Be brief."), 0o600) },
		"pipe": func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"big": func(path string) error {
			if err := os.WriteFile(path, nil, 0o600); err != nil {
				return err
			}
			return os.Truncate(path, 60<<30)
		},
		"folder": func(path string) error { return os.Mkdir(path, 0o700) },
	} {
		if err := make(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		given, want string
		fails       bool
	}{
		{"Be kind.", "Be kind.", false},
		{filepath.Join(dir, "file"), "Be brief.", false},
		{filepath.Join(dir, "folder"), filepath.Join(dir, "folder"), false},
		{filepath.Join(dir, "pipe"), "", true},
		{filepath.Join(dir, "big"), "", true},
		{"/dev/zero", "", true},
	} {
		flags := pisces.Flags{Cwd: dir, Agent: dir, Project: ".pi"}
		err := (&piscesOptions{system: c.given}).readPrompts(&flags)
		if (err != nil) != c.fails || flags.SystemPrompt != c.want {
			t.Errorf("--system-prompt %s: %q, %v", c.given, flags.SystemPrompt, err)
		}
		err = (&piscesOptions{appended: c.given}).readPrompts(&flags)
		if (err != nil) != c.fails || flags.Append != c.want {
			t.Errorf("--append-system-prompt %s: %q, %v", c.given, flags.Append, err)
		}
	}
}
