package tool

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/tool/workspacetest"
)

// TestProcessesAreNoFiles: files of /proc and the like contain the keys that this program was given. No
// tool that runs within it opens them, whatever the path looks like, even with an approval.
func TestProcessesAreNoFiles(t *testing.T) {
	self := fmt.Sprint(os.Getpid())
	w := workspacetest.New(t, map[string]string{"link": "-> /proc/self/environ", "dir": "-> /proc/self", "far": "-> dir/../" + self})
	for _, path := range []string{
		"/proc/self/environ", "/proc/thread-self/environ", "/proc/" + self + "/environ", "/proc/1/environ", "/proc/self/task/" + self + "/environ",
		"/proc/self/mem", "/proc/self/fdinfo/0", "/dev/fd", "//proc//./self/environ", "/proc/../proc/self/environ", "link", "dir/environ", "far/environ",
	} {
		for tool, in := range map[Tool]map[string]any{
			Read(): {"path": path}, Grep(): {"path": path, "pattern": "PATH"}, Write(): {"path": path, "content": "x"},
			Edit(): {"path": path, "old": "PATH", "new": "x"}, List(): {"path": path}, Glob(): {"path": path, "pattern": "*"},
			Patch(): patchOf("*** Update File: "+path, "@@", "-PATH", "+x"),
		} {
			if _, err := prepareTool(t, w, tool, in); err == nil || !strings.Contains(err.Error(), "cannot be used") { // it is never run
				t.Errorf("%s %s: %v", tool.Name(), path, err)
			}
		}
	}
	for tool, in := range map[Tool]map[string]any{
		Glob(): {"path": "/proc", "pattern": "*/environ"}, List(): {"path": "/proc", "depth": 2},
	} {
		if got := runTool(t, w, tool, in); got.IsError && tool.Name() != "glob" || strings.Contains(got.Text, "environ") {
			t.Errorf("%s finds the environments: %.500s", tool.Name(), got.Text)
		}
	}
	if !w.Hides("/proc/1/environ") || w.Hides("/proc/cpuinfo") || w.Hides("/process/1") {
		t.Error("the wrong paths are hidden")
	}
	if p, err := w.Resolve("/proc/cpuinfo", false); err != nil || p.Protected {
		t.Errorf("what is of no process: %+v, %v", p, err)
	}
	// A path that was resolved before it became a process's is not opened either.
	swapped := approval.Path{Path: w.Dir() + "/link"}
	if file, err := w.Open(swapped); err == nil {
		file.Close()
		t.Error("a link to an environment was opened")
	}
}
