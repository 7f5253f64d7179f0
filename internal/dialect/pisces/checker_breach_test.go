package pisces

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

// TestChecker shows that the checker sees each kind of breach, so that its silence elsewhere
// means something.
func TestChecker(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	const (
		usage    = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
		by       = `"api":"a","provider":"p","model":"m",` + usage
		user     = `{"role":"user","content":[{"type":"text","text":"go"}],"attribution":"user","timestamp":1}`
		empty    = `{"role":"assistant","content":[],` + by + `,"stopReason":"stop","timestamp":2}`
		partial0 = `{"role":"assistant","content":[{"type":"text","text":""}],` + by + `,"stopReason":"stop","timestamp":2}`
		partial  = `{"role":"assistant","content":[{"type":"text","text":"Hi."}],` + by + `,"stopReason":"stop","timestamp":2}`
		called   = `{"type":"toolCall","id":"c","name":"bash","arguments":{"x":1}}`
		half     = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"bash","arguments":{}}],` + by + `,"stopReason":"stop","timestamp":2}`
		calling  = `{"role":"assistant","content":[` + called + `],` + by + `,"stopReason":"stop","timestamp":2}`
		calls    = `{"role":"assistant","content":[` + called + `],` + by + `,"stopReason":"toolUse","timestamp":2,"duration":3}`
		hi       = `{"role":"assistant","content":[{"type":"text","text":"Hi."}],` + by + `,"stopReason":"stop","timestamp":2,"duration":3}`
		failure  = `{"role":"assistant","content":[],` + by + `,"stopReason":"error","errorMessage":"503","timestamp":2}`
		output   = `"content":[{"type":"text","text":"o"}]`
		message  = `{"role":"toolResult","toolCallId":"c","toolName":"bash",` + output + `,"isError":false,"timestamp":4}`

		ready   = `< {"type":"ready"}`
		prompt  = `> {"id":"p","type":"prompt","message":"go"}`
		ack     = `< {"type":"response","id":"p","command":"prompt","success":true,"data":{"disposition":"started"}}`
		refused = `< {"type":"response","id":"p","command":"prompt","success":false,"error":"busy"}`
		begin   = `< {"type":"agent_start"}`
		turn    = `< {"type":"turn_start","turnIndex":0,"timestamp":1}`
		said    = `< {"type":"message_start","message":` + user + `}`
		saidEnd = `< {"type":"message_end","message":` + user + `}`
		born    = `< {"type":"message_start","message":` + empty + `}`
		block   = `< {"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":` + partial0 + `},"message":` + partial0 + `}`
		delta   = `< {"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Hi.","partial":` + partial + `},"message":` + partial + `}`
		stop    = `< {"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":"Hi.","partial":` + partial + `},"message":` + partial + `}`
		whole   = `< {"type":"message_end","message":` + hi + `}`
		turnEnd = `< {"type":"turn_end","turnIndex":0,"message":` + hi + `,"toolResults":[]}`
		end     = `< {"type":"agent_end","messages":[` + user + `,` + hi + `],"sessionId":"s","sessionFile":"/f"}`

		wish       = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"partial":` + half + `},"message":` + half + `}`
		args       = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_delta","contentIndex":0,"delta":"{\"x\":1}","partial":` + calling + `},"message":` + calling + `}`
		wishEnd    = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":` + called + `,"partial":` + calling + `},"message":` + calling + `}`
		wished     = `< {"type":"message_end","message":` + calls + `}`
		run        = `< {"type":"tool_execution_start","toolCallId":"c","toolName":"bash","args":{"x":1}}`
		update     = `< {"type":"tool_execution_update","toolCallId":"c","toolName":"bash","args":{"x":1},"partialResult":{` + output + `,"details":{}}}`
		ran        = `< {"type":"tool_execution_end","toolCallId":"c","toolName":"bash","result":{` + output + `},"isError":false}`
		result     = `< {"type":"message_start","message":` + message + `}`
		resultEnd  = `< {"type":"message_end","message":` + message + `}`
		callTurn   = `< {"type":"turn_end","turnIndex":0,"message":` + calls + `,"toolResults":[` + message + `]}`
		callTurnE  = `< {"type":"turn_end","turnIndex":0,"message":` + calls + `,"toolResults":[]}`
		callEnd    = `< {"type":"agent_end","messages":[` + user + `,` + calls + `,` + message + `],"sessionId":"s","sessionFile":"/f"}`
		failed     = `< {"type":"message_start","message":` + failure + `}`
		failedEnd  = `< {"type":"message_end","message":` + failure + `}`
		failedTurn = `< {"type":"turn_end","turnIndex":0,"message":` + failure + `,"toolResults":[]}`
		failedRun  = `< {"type":"agent_end","messages":[` + user + `,` + failure + `],"sessionId":"s"}`
		retry      = `< {"type":"auto_retry_start","attempt":1,"maxAttempts":3,"delayMs":5,"errorMessage":"503"}`
		retried    = `< {"type":"auto_retry_end","success":true,"attempt":1}`
		gaveUp     = `< {"type":"auto_retry_end","success":false,"attempt":1,"finalError":"Retry cancelled"}`
		again      = `< {"type":"agent_end","messages":[` + hi + `],"sessionId":"s"}`
		room       = `< {"type":"auto_compaction_start","reason":"threshold","action":"context-full"}`
		overflow   = `< {"type":"auto_compaction_start","reason":"overflow","action":"context-full"}`
		noRoom     = `< {"type":"auto_compaction_end","action":"context-full","aborted":true,"willRetry":false}`

		abort    = `> {"id":"x","type":"abort"}`
		aborted  = `< {"type":"response","id":"x","command":"abort","success":true}`
		bash     = `> {"id":"b","type":"bash","command":"ls"}`
		bashed   = `< {"type":"response","id":"b","command":"bash","success":true,"data":{"output":"","exitCode":0,"cancelled":false,"truncated":false,"totalLines":1,"totalBytes":0,"outputLines":1,"outputBytes":0}}`
		fresh    = `> {"id":"n","type":"new_session"}`
		entered  = `< {"type":"response","id":"n","command":"new_session","success":true,"data":{"cancelled":false}}`
		stats    = `> {"id":"t","type":"get_session_stats"}`
		counted  = `< {"type":"response","id":"t","command":"get_session_stats","success":true,"data":{"sessionFile":"/f","sessionId":"s","userMessages":1,"assistantMessages":1,"toolCalls":0,"toolResults":0,"totalMessages":2,"tokens":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0},"cost":0,"premiumRequests":0}}`
		state    = `> {"id":"g","type":"get_state"}`
		stated   = `< {"type":"response","id":"g","command":"get_state","success":true,"data":{"isStreaming":false,"isCompacting":false,"steeringMode":"all","followUpMode":"all","interruptMode":"wait","sessionId":"s","autoCompactionEnabled":true,"messageCount":2,"queuedMessageCount":0,"pendingMessageCount":0,"isSettled":true}}`
		strange  = `> {"type":"frobnicate"}`
		unknown  = `< {"type":"response","command":"frobnicate","success":false,"error":"Unknown command: frobnicate"}`
		branch   = `> {"id":"r","type":"branch","entryId":"nope"}`
		notThere = `< {"type":"response","command":"parse","success":false,"error":"Failed to parse command: Invalid entry ID for branching"}`
		steer    = `> {"id":"s","type":"steer","message":"go"}`
		steered  = `< {"type":"response","id":"s","command":"steer","success":true,"data":{"disposition":"started"}}`
	)
	head := list(ready, prompt, ack, begin, turn, said, saidEnd)
	plain := with(head, list(born, block, delta, stop, whole, turnEnd, end))
	tool := with(head, list(born, wish, args, wishEnd, wished, run, update, ran, result, resultEnd, callTurn, callEnd))
	fails := with(head, list(failed, failedEnd, failedTurn, failedRun))
	second := list(begin, turn, born, block, delta, stop, whole)
	retries := with(fails, list(retry), second, list(retried, turnEnd, again))
	for name, lines := range map[string][]string{
		"plain": plain, "tool": tool, "fails": fails, "retries": retries,
		"gave up":     with(fails, list(retry, gaveUp)),
		"no room":     with(plain, list(room, noRoom)),
		"overflow":    with(fails, list(overflow, noRoom)),
		"busy":        with(head, list(prompt, ack, refused), plain[7:]),
		"a new one":   with(plain, list(abort, aborted, fresh, entered)),
		"asked":       with(plain, list(stats, counted, state, stated, strange, unknown, branch, notThere)),
		"aside":       with(list(ready, bash, abort, aborted, bashed)),
		"said twice":  with(list(ready, steer, steered, prompt, ack, begin, turn, said, saidEnd, said, saidEnd), plain[7:13], list(strings.Replace(end, user, user+","+user, 1))),
		"interrupted": with(head, list(strings.Replace(failed, `"error"`, `"aborted"`, 1), strings.Replace(failedEnd, `"error"`, `"aborted"`, 1), strings.Replace(failedTurn, `"error"`, `"aborted"`, 1), strings.Replace(failedRun, `"error"`, `"aborted"`, 1))),
	} {
		if c := watch(lines); len(c.problems) > 0 {
			t.Errorf("%s is sound, but %q", name, c.problems)
		}
	}
	for name, lines := range map[string][]string{
		"no ready":                      plain[1:],
		"ready with more":               changed(t, plain, ready, `"}`, `","version":1}`),
		"ready twice":                   twice(plain, ready),
		"no JSON":                       list(ready, `< oops`),
		"unheard of":                    list(ready, `< {"type":"surprise"}`),
		"an unknown member":             changed(t, plain, turn, `"timestamp"`, `"more":1,"timestamp"`),
		"a missing member":              changed(t, plain, turn, `,"timestamp":1`, ``),
		"null":                          changed(t, plain, turnEnd, `"toolResults":[]`, `"toolResults":null`),
		"null where absent":             changed(t, plain, end, `"sessionFile":"/f"`, `"sessionFile":null`),
		"a run unasked":                 with(list(ready), plain[3:]),
		"two runs for a prompt":         with(plain, plain[3:]),
		"run before the answer":         with(list(ready, prompt, begin)),
		"a refused prompt's run":        with(list(ready, prompt, ack, refused), plain[3:]),
		"run in a run":                  twice(plain, begin),
		"end of no run":                 with(plain, list(end)),
		"no end of the run":             without(plain, end),
		"a run of nothing":              list(ready, prompt, ack, begin, strings.Replace(end, user+","+hi, "", 1)),
		"messages missing":              changed(t, plain, end, user+",", ""),
		"messages changed":              changed(t, plain, end, `"Hi."`, `"Ho."`),
		"another session":               with(plain, list(stats, strings.Replace(counted, `"sessionId":"s"`, `"sessionId":"z"`, 1))),
		"turn in a turn":                twice(plain, turn),
		"turn out of count":             changed(t, plain, turn, `"turnIndex":0`, `"turnIndex":1`),
		"no end of the turn":            without(plain, turnEnd),
		"end of turn twice":             twice(plain, turnEnd),
		"end of turn out of count":      changed(t, plain, turnEnd, `"turnIndex":0`, `"turnIndex":1`),
		"end of turn, another answer":   changed(t, plain, turnEnd, `"Hi."`, `"Ho."`),
		"end of turn without answer":    with(head, list(turnEnd, end)),
		"message outside a turn":        list(ready, prompt, ack, begin, said),
		"message in a message":          twice(plain, said),
		"no end of the message":         without(plain, saidEnd),
		"end of no message":             twice(plain, saidEnd),
		"end of another message":        changed(t, plain, saidEnd, `"go"`, `"stop"`),
		"something in between":          with(plain[:6], list(run), plain[6:]),
		"message without a prompt":      changed(t, changed(t, plain, said, `"go"`, `"stop"`), saidEnd, `"go"`, `"stop"`),
		"sent twice":                    with(plain[:7], list(said, saidEnd), plain[7:]),
		"said after the answer":         with(plain[:12], list(said, saidEnd), plain[12:]),
		"born with content":             changed(t, plain, born, `"content":[]`, `"content":[{"type":"text","text":"Hi."}]`),
		"born with an end":              changed(t, plain, born, `"timestamp":2`, `"timestamp":2,"duration":3`),
		"update of no answer":           with(head, list(block)),
		"update of the person's":        with(plain[:6], list(delta), plain[6:]),
		"block out of count":            changed(t, plain, block, `"contentIndex":0`, `"contentIndex":1`),
		"block in a block":              twice(plain, block),
		"delta without a block":         without(plain, block),
		"delta of another kind":         changed(t, plain, delta, "text_delta", "thinking_delta"),
		"delta of nothing":              with(plain[:9], list(strings.NewReplacer(`"delta":"Hi."`, `"delta":""`, partial, partial0).Replace(delta)), plain[9:]),
		"delta lost":                    without(plain, delta),
		"delta twice":                   twice(plain, delta),
		"partial is not the message":    changed(t, plain, delta, `"text":"Hi."`, `"text":"Hi"`),
		"message lags":                  with(plain[:9], list(strings.ReplaceAll(delta, partial, partial0)), plain[10:]),
		"end of block, another text":    changed(t, plain, stop, `"content":"Hi."`, `"content":"Ho."`),
		"no end of the block":           without(plain, stop),
		"message, another text":         changed(t, plain, whole, `"Hi."`, `"Ho."`),
		"message, another time":         changed(t, plain, whole, `"timestamp":2`, `"timestamp":3`),
		"message, another block":        changed(t, plain, whole, `{"type":"text","text":"Hi."}`, `{"type":"text","text":"Hi."},{"type":"text","text":""}`),
		"no sum":                        changed(t, plain, whole, `"totalTokens":0`, `"totalTokens":1`),
		"stopped for a tool, no call":   changed(t, plain, whole, `"stop"`, `"toolUse"`),
		"error without a message":       changed(t, fails, failed, `"errorMessage":"503",`, ``),
		"message of an error, no error": changed(t, plain, whole, `"stopReason":"stop"`, `"stopReason":"stop","errorMessage":"x"`),
		"call with other arguments":     changed(t, tool, wishEnd, `"arguments":{"x":1}`, `"arguments":{"x":2}`),
		"call with another id":          changed(t, tool, wish, `"id":"c"`, `"id":"d"`),
		"call never runs":               with(tool[:12], list(callTurnE)),
		"call unasked":                  with(plain[:12], list(run)),
		"call twice":                    twice(tool, run),
		"call of another tool":          changed(t, tool, run, `"bash"`, `"read"`),
		"call of other arguments":       changed(t, tool, run, `{"x":1}`, `{"x":2}`),
		"update of no call":             without(tool, run),
		"update of another call":        changed(t, tool, update, `"c"`, `"d"`),
		"update after the end":          with(tool[:14], list(resultEnd, update), tool[15:]),
		"no end of the call":            without(tool, ran),
		"end of call twice":             twice(tool, ran),
		"no result":                     without(without(tool, result), resultEnd),
		"result of another call":        changed(t, tool, result, `"c"`, `"d"`),
		"result, another text":          changed(t, tool, result, `"o"`, `"p"`),
		"result, no error":              changed(t, tool, ran, `"isError":false`, `"isError":true`),
		"result later":                  with(tool[:14], list(said, saidEnd), tool[14:]),
		"result without a call":         with(plain[:12], list(result)),
		"results missing":               changed(t, tool, callTurn, message, ""),
		"retry of nothing":              with(plain, list(retry)),
		"retry out of count":            changed(t, retries, retry, `"attempt":1`, `"attempt":2`),
		"retry for another reason":      changed(t, retries, retry, `"503"`, `"504"`),
		"retry without an end":          without(retries, retried),
		"end of no retry":               with(fails, list(gaveUp)),
		"retry succeeded, no answer":    with(fails, list(retry, retried)),
		"retry failed, answered":        changed(t, retries, retried, `"success":true`, `"success":false`),
		"compaction of nothing":         list(ready, room),
		"compaction in a run":           with(head, list(room)),
		"compaction without an end":     with(plain, list(room)),
		"end of no compaction":          with(plain, list(noRoom)),
		"compaction for no reason":      with(plain, list(room, strings.Replace(noRoom, `"aborted":true`, `"aborted":false`, 1))),
		"retries without room":          with(fails, list(overflow, strings.Replace(noRoom, `"willRetry":false`, `"willRetry":true`, 1))),
		"overflow of a sound run":       with(plain, list(overflow, noRoom)),
		"answer unasked":                list(ready, ack),
		"answer twice":                  with(plain[:3], list(ack), plain[3:]),
		"answer with another id":        changed(t, plain, ack, `"p"`, `"q"`),
		"answer to another command":     changed(t, plain, ack, `"prompt"`, `"steer"`),
		"no answer":                     list(ready, steer),
		"answer with an error":          changed(t, plain, ack, `"success":true`, `"success":true,"error":"x"`),
		"failure without an error":      list(ready, steer, strings.Replace(steered, "true", "false", 1)),
		"failure with its data":         list(ready, stats, strings.Replace(counted, `"success":true`, `"success":false,"error":"x"`, 1)),
		"answer with data":              changed(t, plain, ack, `"success":true`, `"success":true,"data":{}`),
		"answer without data":           list(ready, stats, `< {"type":"response","id":"t","command":"get_session_stats","success":true}`),
		"data with more":                list(ready, stats, strings.Replace(counted, `"cost":0`, `"cost":0,"more":1`, 1)),
		"null for data":                 list(ready, stats, `< {"type":"response","id":"t","command":"get_session_stats","success":true,"data":null}`),
		"out of order":                  list(ready, steer, abort, aborted, steered),
		"failure twice":                 with(head, list(prompt, ack, refused, refused), plain[7:]),
		"failure late":                  with(list(ready, prompt, ack, steer, steered), list(refused)),
		"unknown twice":                 list(ready, strange, unknown, unknown),
		"too many without an id":        list(ready, branch, notThere, notThere),
		"abort before the end":          with(head, list(abort, aborted), plain[7:]),
		"new session in a run":          with(head, list(fresh, entered), plain[7:]),
		"idle in a run":                 with(head, list(state, stated), plain[7:]),
		"the old session":               with(plain, list(fresh, entered, stats, counted)),
		"another count":                 with(plain, list(stats, counted, state, strings.Replace(stated, `"messageCount":2`, `"messageCount":3`, 1))),
		"two counts of a queue":         with(plain, list(state, strings.Replace(stated, `"queuedMessageCount":0`, `"queuedMessageCount":1`, 1))),
	} {
		if c := watch(lines); len(c.problems) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}

// watch returns a checker that has seen these lines, and the end.
func watch(lines []string) *checker {
	c := newChecker()
	for _, text := range lines {
		if sent, isSent := strings.CutPrefix(text, "> "); isSent {
			c.received([]byte(sent))
			continue
		}
		c.line([]byte(strings.TrimPrefix(text, "< ")))
	}
	c.end(false)
	return c
}
