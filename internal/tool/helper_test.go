package tool

import (
	"os"
	"testing"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/tool/workspace"
)

// prepareTool prepares a call; in is the input's names and values.
func prepareTool(t testing.TB, w *workspace.Workspace, tool Tool, in map[string]any) (Call, error) {
	t.Helper()
	return prepareIn(t, &Env{Workspace: w}, tool, in)
}

func prepareIn(t testing.TB, env *Env, tool Tool, in map[string]any) (Call, error) {
	t.Helper()
	input, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	return tool.Prepare(env, jsontext.Value(input))
}

// runTool prepares and runs a call; a refused input is a failed result.
func runTool(t testing.TB, w *workspace.Workspace, tool Tool, in map[string]any) Result {
	t.Helper()
	call, err := prepareTool(t, w, tool, in)
	if err != nil {
		return Failed(err.Error())
	}
	return call.Run(t.Context(), Hooks{})
}

func fileText(t testing.TB, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
