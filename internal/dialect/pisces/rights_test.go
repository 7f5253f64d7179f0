package pisces

import (
	"testing"

	"parley.dev/parley/internal/dialect/dialecttest"
	"parley.dev/parley/internal/dialect/rights"
	"parley.dev/parley/internal/engine"
)

// TestRights: each command has a row, and what they need.
func TestRights(t *testing.T) {
	messages := []string{TypeUIResponse, TypeHostToolUpdate, TypeHostToolResult}
	for name := range commands.Get() {
		messages = append(messages, name)
	}
	guard := func(client *rights.Client, host *engine.Host) *rights.Guard {
		return (&conn{cfg: Config{Host: host, Rights: client, Flags: Flags{Cwd: "/w", Home: "/h", Sessions: "/s"}}}).guard(nil)
	}
	folder := (&conn{cfg: Config{Flags: Flags{Cwd: "/w", Home: "/h", Sessions: "/s"}}}).folder()
	dialecttest.CheckRights(t, (&conn{}).table(), messages, guard, []dialecttest.TriedLine{
		{Line: `{"type":"get_state"}`, Level: rights.Viewer},
		{Line: `{"type":"prompt","message":"x @$in/a.txt"}`, Level: rights.Driver},
		{Line: `{"type":"prompt","message":"x @$out/a.txt"}`, Level: rights.User, Path: true},
		{Line: `{"type":"steer","message":"x @'$out/a b.txt'"}`, Level: rights.User, Path: true},
		{Line: `{"type":"follow_up","message":"(@~/a)"}`, Level: rights.User, Path: true},
		{Line: `{"type":"abort_and_prompt","message":"@../a"}`, Level: rights.User, Path: true},
		{Line: `{"type":"bash","command":"id"}`, Level: rights.User},
		{Line: `{"type":"export_html"}`, Level: rights.Driver},
		{Line: `{"type":"export_html","outputPath":"$in/a.html"}`, Level: rights.User},
		{Line: `{"type":"switch_session","sessionPath":"` + folder + `/a.jsonl"}`, Level: rights.Driver},
		{Line: `{"type":"switch_session","sessionPath":"$in/a.jsonl"}`, Level: rights.User},
		{Line: `{"type":"open_session","sessionDir":"` + folder + `"}`, Level: rights.Driver},
		{Line: `{"type":"open_session","sessionDir":"$in"}`, Level: rights.User},
		{Line: `{"type":"extension_ui_response","id":"x","confirmed":true}`, Level: rights.Reviewer},
	}...)
}
