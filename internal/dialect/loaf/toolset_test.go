package loaf

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/racetest"
)

// TestToolset holds the names and the required members to the table of what loaf has.
func TestToolset(t *testing.T) {
	want := map[string]struct{ Tool, Required string }{
		"bash":                  {"shell", "command"},
		"start_background_bash": {"background_start", "command"}, // ours
		"read_background_bash":  {"background_read", "session_id"},
		"write_background_bash": {"background_write", "session_id"},
		"stop_background_bash":  {"background_stop", "session_id"},
		"list_background_bash":  {"background_list", ""},
		"read_file":             {"read", "file_path"},
		"list_dir":              {"list", "dir_path"},
		"grep_files":            {"grep", "pattern"},
		"apply_patch":           {"patch", "input"},
		"search_web":            {"search", "query"},
	}
	if n := len(toolset.Get()); n != 14 {
		t.Errorf("%d tools", n)
	}
	shown().CheckShown(t, want)
}

func shown() dialecttest.Toolset {
	return dialecttest.Toolset{
		Bindings: toolset.Get(),
		Absolute: func(_, member string) bool { return strings.HasSuffix(member, "_path") },
		Refused: func(input jsontext.Value) string {
			for _, refused := range []string{`"run_in_background":true`, `"key":"ctrl+c"`, `"key":"ctrl+z"`} {
				if strings.Contains(string(input), refused) {
					return "background_bash"
				}
			}
			return ""
		},
	}
}

func TestToolSchemasAreClosed(t *testing.T) { shown().CheckClosed(t) }

func TestShownInputs(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckShows(t)
}

func TestAdaptedInputsFit(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	shown().CheckAdapted(t)
}

// TestAdapt has inputs of each tool, word for word.
func TestAdapt(t *testing.T) {
	for _, row := range []struct{ name, input, want string }{
		{"bash", `{"command":"ls"}`, `{"command":"ls","separate":true}`},
		{"bash", `{"command":"ls","timeout_seconds":1.2e2,"cwd":"/a","reset_session":true,"run_in_background":false}`, `{"command":"ls","dir":"/a","reset":true,"separate":true,"timeout_ms":120000}`},
		{"start_background_bash", `{"command":"ls","cwd":"a","session_name":"x"}`, `{"command":"ls","dir":"a","name":"x"}`},
		{"read_background_bash", `{"session_id":"b1","max_chars":5,"stream":"stderr","peek":true}`, `{"id":"b1","max_chars":5,"peek":true,"stream":"stderr"}`},
		{"write_background_bash", `{"session_id":"b1","input":"y"}`, `{"id":"b1","input":"y"}`},
		{"write_background_bash", `{"session_id":"b1","input":"y","append_newline":false,"repeat":3}`, `{"id":"b1","input":"y","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","key":"enter"}`, `{"id":"b1","input":"\n","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","input":"a\"","key":"tab","repeat":2,"append_newline":true}`, `{"id":"b1","input":"a\"\t\t","newline":true}`},
		{"write_background_bash", `{"session_id":"b1","key":"up"}`, `{"id":"b1","input":"\u001b[A","newline":false}`},
		{"write_background_bash", `{"session_id":"b1","input":"x","key":"ctrl+d"}`, `{"close":true,"id":"b1","input":"x","newline":false}`},
		{"stop_background_bash", `{"session_id":"b1","force":true}`, `{"id":"b1"}`},
		{"list_background_bash", `{"include_exited":true}`, `{"ended":true}`},
		{"read_file", `{"file_path":"/a"}`, `{"limit":2000,"path":"/a"}`},
		{"read_file", `{"file_path":"/a","offset":1,"limit":7}`, `{"limit":7,"offset":1,"path":"/a"}`},
		{"list_dir", `{"dir_path":"/a"}`, `{"depth":2,"limit":25,"path":"/a"}`},
		{"list_dir", `{"dir_path":"/a","offset":26.0,"limit":1,"depth":1}`, `{"depth":1,"limit":1,"offset":26,"path":"/a"}`},
		{"grep_files", `{"pattern":"x"}`, `{"head_limit":100,"mode":"files_with_matches","order":"modified","pattern":"x"}`},
		{"grep_files", `{"pattern":"x","include":"*.go","path":"a","limit":3}`, `{"glob":"*.go","head_limit":3,"mode":"files_with_matches","order":"modified","path":"a","pattern":"x"}`},
		{"search_web", `{"query":"x","num_results":3,"include_domains":["a"],"exclude_domains":["b"]}`, `{"allowed_domains":["a"],"blocked_domains":["b"],"limit":3,"query":"x"}`},
	} {
		got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input))
		if err != nil || string(got) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
	for _, row := range []struct{ name, input, want string }{
		{"bash", `{"command":"ls","run_in_background":true}`, "run_in_background is not for this tool: start the command with start_background_bash"},
		{"read_file", `{"file_path":"a.txt"}`, `file_path has to be an absolute path, which "a.txt" is not: begin it with the folder of the workspace`},
		{"list_dir", `{"dir_path":""}`, `dir_path has to be an absolute path, which "" is not: begin it with the folder of the workspace`},
		{"write_background_bash", `{"session_id":"b1","key":"ctrl+c"}`, "ctrl+c cannot be pressed, for the command has no terminal: end it with stop_background_bash"},
	} {
		if got, err := shown().Binding(t, row.name).Adapt(jsontext.Value(row.input)); problem(err) != row.want {
			t.Errorf("%s %s became %s, %v; want %s", row.name, row.input, got, err, row.want)
		}
	}
}

func TestReads(t *testing.T) {
	dialecttest.CheckReads(t, engine.Options{Toolset: toolset.Get()}, "read_file", "file_path")
}
