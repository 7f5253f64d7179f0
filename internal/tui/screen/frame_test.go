package screen

import (
	"fmt"
	"testing"

	"parley.dev/parley/internal/tui/link"
	"parley.dev/parley/record"
)

// TestFrames compares whole frames, at each of the sizes, with files.
func TestFrames(t *testing.T) {
	scenes := map[string]func(*stage){
		"start": func(*stage) {},
		"start-demo": func(s *stage) {
			s.host.models = link.Models{Default: "offline/demo", Models: []link.Model{{Name: "offline/demo", Provider: "offline"}, {Name: "ollama/qwen3", Provider: "ollama"}}}
			s.run(s.m.Init())
		},
		"conversation": conversationScene,
		"work": func(s *stage) {
			s.begin("give the shop a login page")
			s.record("t-1", record.PlanUpdated{Items: []record.PlanItem{{Text: "read the handlers", Status: "completed"}, {Text: "write the page", Status: "in_progress"}, {Text: "run the tests", Status: "pending"}}})
			s.record("t-1", record.ThinkingDelta{Message: "m-1", Text: "The handlers are in one file."})
			s.record("t-1", record.AssistantMessage{ID: "m-1", Blocks: []record.Block{{Kind: record.BlockThinking, Text: "The handlers are in one file."}, {Kind: record.BlockText, Text: "I read the handlers first."}, {Kind: record.BlockCall, Call: &record.Call{ID: "c-1", Name: "read"}}}})
			s.record("t-1", record.ToolIntended{Call: "c-1", Name: "read", Tool: "read", Input: []byte(`{"path":"shop/handlers.go"}`)})
			s.record("t-1", record.ToolEnded{Call: "c-1", Outcome: record.CallSucceeded, Output: "package shop"})
			s.record("t-1", record.ToolIntended{Call: "c-2", Name: "bash", Tool: "bash", Input: []byte(`{"command":"go vet ./..."}`)})
			s.record("t-1", record.ToolStarted{Call: "c-2"})
			s.record("t-1", record.ToolEnded{Call: "c-2", Outcome: record.CallFailed, Output: "shop/handlers.go:12: unreachable code\n", Shell: &record.ShellRun{Command: "go vet ./...", Dir: "/home/me/shop", ExitCode: 1}})
			s.record("t-1", record.ToolIntended{Call: "c-3", Name: "edit", Tool: "edit", Input: []byte(`{"path":"shop/login.go"}`)})
			s.record("t-1", record.ApprovalAsked{
				ID: "a-1", Call: "c-3", Mode: "prompt", Request: record.Request{Tool: "edit", Level: "write", Summary: "edit shop/login.go", Paths: []record.Path{{Path: "/home/me/shop/shop/login.go", Write: true}}}, Input: []byte(`{"path":"shop/login.go"}`),
				Files: []record.FileEffect{{Path: "shop/login.go", Op: "updated", Added: 2, Removed: 1, Diff: "--- a/shop/login.go\n+++ b/shop/login.go\n@@ -1,3 +1,4 @@\n package shop\n-var page = \"\"\n+var page = \"login\"\n+var title = \"Login\"\n func main() {}\n"}},
			})
			s.record("t-1", record.StatusChanged{Status: record.StatusWaiting})
		},
		"approval": func(s *stage) {
			s.begin("delete the build folder")
			s.approval("t-1", "a-1", "rm -rf build && ls")
		},
		"grant": func(s *stage) {
			s.begin("delete the build folder")
			s.approval("t-1", "a-1", "rm -rf build && ls")
			s.pass(guard)
			s.press("w")
		},
		"reason": func(s *stage) {
			s.begin("delete the build folder")
			s.approval("t-1", "a-1", "rm -rf build && ls")
			s.pass(guard)
			s.press("n")
			s.write("keep it")
		},
		"question": func(s *stage) {
			s.begin("set up the project")
			s.record("t-1", record.QuestionAsked{ID: "q-1", Questions: []record.Question{{Header: "Database", Text: "Which database is to be used?", Options: []record.Option{{Label: "SQLite", Description: "one file, no server"}, {Label: "PostgreSQL"}}}}})
		},
		"queue": func(s *stage) {
			s.begin("run the tests")
			s.record("t-1", record.QueueChanged{
				Steering:  []record.Queued{{ID: "1", Blocks: []record.Block{{Kind: record.BlockText, Text: "only those of the package shop"}}}},
				FollowUps: []record.Queued{{ID: "2", Blocks: []record.Block{{Kind: record.BlockText, Text: "then write a changelog entry"}}}},
			})
			s.write("and also")
		},
		"sessions": func(s *stage) { s.press("ctrl+s") },
		"history": func(s *stage) {
			conversationScene(s)
			s.host.pages = map[string][]record.Record{"s-1": {
				{Seq: 3, Kind: record.KindUserMessage, Data: []byte(`{"via":"prompt","blocks":[{"kind":"text","text":"run the tests and fix what fails"}]}`)},
				{Seq: 9, Kind: record.KindUserMessage, Data: []byte(`{"via":"prompt","blocks":[{"kind":"text","text":"write a changelog entry"}]}`)},
			}}
			s.press("ctrl+t")
		},
		"settings": func(s *stage) { s.press("ctrl+o") },
		"help":     func(s *stage) { s.press("?") },
		"commands": func(s *stage) { s.write("/") },
	}
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
		for name, play := range scenes {
			name := fmt.Sprintf("%s-%dx%d", name, size[0], size[1])
			t.Run(name, func(t *testing.T) {
				s := newStage(t, size[0], size[1], withSessions)
				play(s)
				s.golden(name)
			})
		}
	}
}

// withSessions gives the workspace two sessions.
func withSessions(_ *Options, h *fakeHost) {
	h.sessions = sessionsOf()
}

func conversationScene(s *stage) {
	s.begin("run the tests and fix what fails")
	s.record("t-1", record.ToolIntended{Call: "c-1", Name: "bash", Tool: "bash", Input: []byte(`{"command":"go test ./..."}`)})
	s.record("t-1", record.ToolStarted{Call: "c-1"})
	s.record("t-1", record.ToolEnded{Call: "c-1", Outcome: record.CallSucceeded, Output: "ok  \tshop\t0.2s\n", Shell: &record.ShellRun{Command: "go test ./...", Dir: "/home/me/shop"}})
	s.answer("t-1", "All tests pass.\n\n- `shop`: **12** tests\n- nothing to fix\n\n```go\nfunc main() {\n\tfmt.Println(\"shop\") // the shop\n}\n```")
}
