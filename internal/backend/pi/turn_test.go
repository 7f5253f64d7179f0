package pi

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/internal/backend"
)

// TestTurns: what pi reports in a turn, as updates.
func TestTurns(t *testing.T) {
	for name, row := range map[string]struct {
		script string
		answer string // to questions
		want   []string
	}{
		"prompt": {
			script: "begin\nthink Hm.\nsay Hello\nsay there.\nanswer stop\nover",
			want:   lines("answer-0 thought Hm.", "answer-0 text Hello", "answer-0 text there.", "answered", "over: completed"),
		},
		"an answer that did not grow": {
			script: `begin
raw {"type":"message_end","message":{"role":"assistant","stopReason":"length","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"Hello"}]}}
over`,
			want: lines("answer-0 thought Hm.", "answer-0 text Hello", "end of answer  0+0 0 0.00", "over: max_tokens"),
		},
		"a command": {
			script: `begin
say I run it.
answer toolUse
call c1 bash {"command":"make\nmake test","timeout":2.5}
write c1
write c1 one\n
write c1 one\ntwo\n
fail c1 one\ntwo\n\n\nCommand exited with code 3
answer stop
over`,
			want: lines("answer-0 text I run it.", "answered",
				`call c1 bash=shell {"command":"make\nmake test","timeout_ms":2500} execute [] "make\nmake test" "run make"`, "ask c1",
				`output c1 "one\n"`, `output c1 "two\n"`,
				`end c1 failed "one\ntwo\n\n\nCommand exited with code 3" shell "make\nmake test" 3 false "Command exited with code 3"`,
				"answered", "over: completed"),
		},
		"ends of commands": {
			script: `begin
call c1 bash {"command":"a"}
end c1 ok
call c2 bash {"command":"b"}
fail c2 Command timed out after 5 seconds
call c3 bash {"command":"c"}
fail c3 Command aborted
over`,
			want: lines(`call c1 bash=shell {"command":"a"} execute [] "a" "run a"`, "ask c1", `end c1 succeeded "ok" shell "a" 0 false ""`,
				`call c2 bash=shell {"command":"b"} execute [] "b" "run b"`, "ask c2",
				`end c2 failed "Command timed out after 5 seconds" shell "b" -1 true "Command timed out after 5 seconds"`,
				`call c3 bash=shell {"command":"c"} execute [] "c" "run c"`, "ask c3",
				`end c3 failed "Command aborted" shell "c" -1 false "Command aborted"`, "over: completed"),
		},
		"an edit": {
			script: `begin
call c1 edit {"path":"/w/a.go","edits":[{"oldText":"b","newText":"B"},{"oldText":"y","newText":""}]}
edited c1   1 a|- 2 b|+ 2 B|  3 |    ...| 24 x|-25 y|    ...
over`,
			want: lines(`call c1 edit=edit {"path":"/w/a.go","edits":[{"old":"b","new":"B"},{"old":"y","new":""}]} write ["/w/a.go"] "" "edit /w/a.go"`, "ask c1",
				`end c1 succeeded "Done." a.go: "a\nb\n\n" to "a\nB\n\n" a.go: "x\ny\n" to "x\n"`, "over: completed"),
		},
		"calls that pi refuses": {
			script: `begin
start c1 nope {"x":1}
fail c1 Tool nope not found
start c2 bash {"cmd":"x"}
fail c2 Validation failed
over`,
			want: lines(`call c1 nope= {"x":1} execute [] "" "nope"`, `end c1 failed "Tool nope not found" not run`,
				`call c2 bash= {"cmd":"x"} execute [] "" "bash"`, `end c2 failed "Validation failed" not run`, "over: completed"),
		},
		"a call that runs without being asked about": {
			script: "begin\nstart c1 bash {\"command\":\"x\"}\nend c1 ok\nover",
			want:   lines(`call c1 bash=shell {"command":"x"} execute [] "x" "run x"`, `end c1 succeeded "ok" shell "x" 0 false ""`, "over: completed"),
		},
		"ids that come again, and strays": {
			script: `begin
call c1 ls {}
end c1 a
call c1 ls {"path":"/x"}
end c1 b
write c9 x
end c9 x
over`,
			want: lines(`call c1 ls=list {} read ["DIR"] "" "ls"`, "ask c1", `end c1 succeeded "a"`,
				`call c1#2 ls=list {"path":"/x"} read ["/x"] "" "ls /x"`, "ask c1#2", `end c1#2 succeeded "b"`, "over: completed"),
		},
		"retry": {
			script: `begin
answer error overloaded
over
raw {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"overloaded"}
until get_state
begin
say Better.
answer stop
raw {"type":"auto_retry_end","success":true,"attempt":1}
over`,
			want: lines("answered", "retry 1 of 3 in 2s: overloaded", "answer-1 text Better.", "answered", "over: completed"),
		},
		"no retry is left": {
			script: `begin
answer error overloaded
over
raw {"type":"auto_retry_end","success":false,"attempt":3,"finalError":"overloaded"}`,
			want: lines("answered", "over: failed refused overloaded"),
		},
		"a failure without an answer": {
			script: `begin
over [{"role":"user"},{"role":"assistant","stopReason":"error","errorMessage":"no key"}]`,
			want: lines("over: failed refused no key"),
		},
		"compaction after the end": {
			script: `begin
answer stop
over
raw {"type":"compaction_start","reason":"threshold"}
until get_state
raw {"type":"compaction_end","reason":"threshold","result":{"summary":"Much."},"willRetry":false}`,
			want: lines("answered", "compacting", `compacted "Much." false`, "over: completed"),
		},
		"compaction, and another try": {
			script: `begin
answer error too long
over
raw {"type":"compaction_start","reason":"overflow"}
raw {"type":"compaction_end","reason":"overflow","result":{"summary":"Much."},"willRetry":true}
until get_state
begin
answer stop
over`,
			want: lines("answered", "compacting", `compacted "Much." false`, "answered", "over: completed"),
		},
		"failed compaction": {
			script: `begin
answer stop
over
raw {"type":"compaction_start","reason":"threshold"}
raw {"type":"compaction_end","reason":"threshold","willRetry":false,"errorMessage":"quota"}`,
			want: lines("answered", "compacting", "note warning backend_compaction pi:test: quota", `compacted "" true`, "over: completed"),
		},
		"refused prompt": {
			script: "refuse No API key found",
			want:   lines("over: failed refused prompt is refused: No API key found"),
		},
		"command of an extension": {
			script: `raw {"type":"extension_ui_request","id":"n","method":"notify","message":"Hi.","notifyType":"warning"}`,
			want:   lines("note warning backend_notify Hi.", "over: completed"),
		},
		"select": {
			script: `begin
raw {"type":"extension_ui_request","id":"q","method":"select","title":"Which?","options":["A","B"]}
until extension_ui_response
over`,
			answer: "B",
			want:   lines(`question "Which?" A B`, "over: completed"),
		},
		"confirm": {
			script: `begin
raw {"type":"extension_ui_request","id":"q","method":"confirm","title":"Sure?","message":"All is lost."}
until extension_ui_response
over`,
			answer: "Yes",
			want:   lines(`question "Sure?\n\nAll is lost." Yes No`, "over: completed"),
		},
		"input": {
			script: `begin
raw {"type":"extension_ui_request","id":"q","method":"input","title":"Name?","placeholder":"a word"}
until extension_ui_response
over`,
			answer: "x",
			want:   lines(`question "Name?\n\na word"`, "over: completed"),
		},
		"editor": {
			script: `begin
raw {"type":"extension_ui_request","id":"q","method":"editor","title":"Text","prefill":"a\nb"}
until extension_ui_response
over`,
			answer: "c",
			want:   lines(`question "Text\n\na\nb"`, "over: completed"),
		},
		"what is new": {
			script: `raw no JSON
raw {"type":"newer_thing","x":[1]}
raw {"type":"message_update","assistantMessageEvent":7}
begin
raw {"type":"message_update","assistantMessageEvent":{"type":"text_delta","delta":"a\ud83d"}}
raw {"type":"extension_ui_request","id":"w","method":"setWidget","widgetLines":["x"]}
raw {"type":"extension_error","extensionPath":"/x.ts","event":"tool_call","error":"broken"}
raw {"type":"tool_execution_update","toolCallId":"c7"}
answer stop
over`,
			want: lines("answer-0 text a\uFFFD", "note warning backend_extension pi:test: the extension /x.ts has failed: broken", "answered", "over: completed"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, row.script)
			a := b.open(backend.Opening{})
			got := b.turn(b.ctx, a, "Go.", allow(row.answer))
			for i, line := range got {
				got[i] = strings.ReplaceAll(line, b.dir, "DIR")
			}
			want(t, got, row.want...)
			if !a.Alive() {
				t.Error("the agent has ended")
			}
			if row.answer != "" {
				answer := map[bool]string{true: `"confirmed":true`, false: `"value":"` + row.answer + `"`}[row.answer == "Yes"]
				contains(t, b.received(), `{"id":"q","type":"extension_ui_response",`+answer+`}`)
			}
		})
	}
}

// TestDenial: a denial and its reason come to pi, and the call is denied.
func TestDenial(t *testing.T) {
	b := newBench(t, "begin\ncall c1 write {\"path\":\"a.txt\",\"content\":\"x\"}\nend c1 never\nanswer stop\nover")
	a := b.open(backend.Opening{})
	got := b.turn(b.ctx, a, "Go.", func(u backend.Update) {
		if ask, ok := u.(backend.Ask); ok {
			ask.Answer(backend.Verdict{Reason: "not that file"})
		}
	})
	want(t, got, lines(`call c1 write=write {"path":"a.txt","content":"x"} write ["`+filepath.Join(b.dir, "a.txt")+`"] "" "write a.txt"`, "ask c1",
		`end c1 denied "not that file"`, "answered", "over: completed")...)
	contains(t, b.received(), `"value":"deny not that file"`)
}

// TestWrite: what was in a file before it is written is part of the edit, as far as it is a text.
func TestWrite(t *testing.T) {
	for name, row := range map[string]struct {
		before []byte // nil: no file
		want   string
	}{
		"new":     {nil, ` a.txt: nothing to "x\n"`},
		"written": {[]byte("old\n"), ` a.txt: "old\n" to "x\n"`},
		"no text": {[]byte{0xff}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, "begin\ncall c1 write {\"path\":\"a.txt\",\"content\":\"x\\n\"}\nend c1 Done.\nover")
			if row.before != nil {
				if err := os.WriteFile(filepath.Join(b.dir, "a.txt"), row.before, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got := b.turn(b.ctx, b.open(backend.Opening{}), "Go.", allow(""))
			if end := got[len(got)-2]; end != `end c1 succeeded "Done."`+row.want {
				t.Error(end)
			}
		})
	}
}

// TestInterrupt: the end of the context ends the turn, where pi answers, waits for an approval, or is about to begin.
func TestInterrupt(t *testing.T) {
	for name, row := range map[string]struct {
		script string
		want   []string
	}{
		"answer": {
			"begin\nsay Half\nuntil abort\nanswer aborted Request was aborted\nover",
			lines("answer-0 text Half", "answered", "over: interrupted"),
		},
		"approval": {
			"begin\ncall c1 bash {\"command\":\"x\"}\nend c1 x\nanswer aborted\nover",
			lines(`call c1 bash=shell {"command":"x"} execute [] "x" "run x"`, "ask c1", `end c1 interrupted "" shell "x" -1 false ""`, "answered", "over: interrupted"),
		},
		"retry": {
			`begin
answer error overloaded
over
raw {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":2000,"errorMessage":"overloaded"}
until abort
raw {"type":"auto_retry_end","success":false,"attempt":1,"finalError":"Retry cancelled"}`,
			lines("answered", "retry 1 of 3 in 2s: overloaded", "over: interrupted"),
		},
		"before it begins": {
			`silent
raw {"type":"compaction_start","reason":"threshold"}
until abort
raw {"type":"compaction_end","reason":"threshold","result":{"summary":"Much."},"willRetry":false}
accept
begin
until abort
answer aborted
over`,
			lines("compacting", `compacted "Much." false`, "answered", "over: interrupted"),
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, row.script)
			a := b.open(backend.Opening{})
			ctx, cancel := context.WithCancelCause(b.ctx)
			got := b.turn(ctx, a, "Go.", func(u backend.Update) {
				switch u := u.(type) {
				case backend.Text, backend.Retry, backend.Compacting:
					cancel(errors.New("enough"))
				case backend.Ask:
					cancel(errors.New("enough"))
					u.Answer(backend.Verdict{Cancel: true})
				}
			})
			want(t, got, row.want...)
			if got := b.turn(b.ctx, a, "Again.", nil); got[len(got)-1] != "over: completed" {
				t.Errorf("the next turn: %q", got)
			}
		})
	}
}

// TestSteer: a further prompt goes to the turn that runs, and keeps it from ending; there is none outside of a turn.
func TestSteer(t *testing.T) {
	b := newBench(t, "begin\nsay One.\nuntil prompt\nanswer stop\nover\nbegin\nsay Two.\nanswer stop\nover")
	a := b.open(backend.Opening{})
	if err := a.Steer(b.ctx, promptText("x")); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("before the turn: %v", err)
	}
	done := make(chan error, 1)
	got := b.turn(b.ctx, a, "Go.", func(u backend.Update) {
		if text, ok := u.(backend.Text); ok && text.Text == "One." {
			go func() { done <- a.Steer(b.ctx, promptText("And this.")) }()
		}
	})
	if err := <-done; err != nil {
		t.Error(err)
	}
	want(t, got, lines("answer-0 text One.", "answered", "answer-1 text Two.", "answered", "over: completed")...)
	contains(t, b.received(), `"type":"prompt","message":"And this.","streamingBehavior":"steer"`)
	if err := a.Steer(b.ctx, promptText("x")); !errors.Is(err, backend.ErrUnsupported) {
		t.Errorf("after the turn: %v", err)
	}
}

// TestSteerWaits: while pi waits for another try, a further prompt is queued.
func TestSteerWaits(t *testing.T) {
	b := newBench(t, `begin
answer error overloaded
over
raw {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":1,"errorMessage":"overloaded"}
until steer
begin
answer stop
over`)
	a := b.open(backend.Opening{})
	done := make(chan error, 1)
	got := b.turn(b.ctx, a, "Go.", func(u backend.Update) {
		if _, ok := u.(backend.Retry); ok {
			go func() { done <- a.Steer(b.ctx, promptText("And this.")) }()
		}
	})
	if err := <-done; err != nil {
		t.Error(err)
	}
	want(t, got, lines("answered", "retry 1 of 3 in 1ms: overloaded", "answered", "over: completed")...)
}

// TestDeath: the turn of a pi that dies fails with what it wrote.
func TestDeath(t *testing.T) {
	b := newBench(t, "begin\nsay Half\nexit")
	a := b.open(backend.Opening{})
	want(t, b.turn(b.ctx, a, "Go.", nil), "answer-0 text Half", "error: back end pi:test: its process has ended with code 3; it says: out of cheese")
	if a.Alive() {
		t.Error("the agent is alive")
	}
}
