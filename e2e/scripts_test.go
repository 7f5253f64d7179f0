package e2e

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/transcript"
)

// fence is a block of a page, with the name of a file where the line before has one.
var fence = regexp.MustCompile("(?m)(?:^`([a-z.]+)`:\n\n)?^```\n((?s:.*?))^```$")

// TestOfflineScriptExamples plays docs/offline-scripts.md: blocks with a name are files, the others
// are command lines, which must succeed.
func TestOfflineScriptExamples(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../docs/offline-scripts.md")
	if err != nil {
		t.Fatal(err)
	}
	p := stage.NewPlace(t)
	bin := filepath.Join(p.Root, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(transcript.Build(t), filepath.Join(bin, "parley")); err != nil {
		t.Fatal(err)
	}
	played := 0
	for _, block := range fence.FindAllStringSubmatch(string(page), -1) {
		if block[1] != "" {
			p.Write(t, block[1], block[2])
			continue
		}
		cmd := exec.Command("/bin/sh", "-c", block[2])
		cmd.Dir = p.Work
		cmd.Env = []string{"PATH=" + bin + ":" + os.Getenv("PATH"), "HOME=" + p.Home, "PARLEY_HOME=" + p.State()}
		var notes strings.Builder
		cmd.Stderr = &notes
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), "All right, nothing was removed.") {
			t.Errorf("%s: %v\n%s%s", block[2], err, out, notes.String())
		}
		played++
	}
	if played == 0 {
		t.Error("the page has no command line")
	}
}
