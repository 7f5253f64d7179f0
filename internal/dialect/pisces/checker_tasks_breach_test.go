package pisces

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/racetest"
)

// TestTaskChecker shows that the checker sees each kind of breach of what it knows of budgets,
// rules, todos and subagents.
func TestTaskChecker(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	const (
		usage   = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
		by      = `"api":"a","provider":"p","model":"m",` + usage
		user    = `{"role":"user","content":[{"type":"text","text":"go"}],"attribution":"user","timestamp":1}`
		empty   = `{"role":"assistant","content":[],` + by + `,"stopReason":"stop","timestamp":2}`
		half    = `{"role":"assistant","content":[{"type":"text","text":""}],` + by + `,"stopReason":"stop","timestamp":2}`
		partial = `{"role":"assistant","content":[{"type":"text","text":"Hi."}],` + by + `,"stopReason":"stop","timestamp":2}`
		hi      = `{"role":"assistant","content":[{"type":"text","text":"Hi."}],` + by + `,"stopReason":"stop","timestamp":2,"duration":3}`
		cut     = `{"role":"assistant","content":[{"type":"text","text":"Hi."}],` + by + `,"stopReason":"aborted","errorMessage":"Request was aborted","timestamp":2,"duration":3}`
		note    = `{"role":"custom","customType":"ttsr-injection","content":"Mind r.","display":false,"attribution":"agent","timestamp":1}`

		ready   = `< {"type":"ready"}`
		prompt  = `> {"id":"p","type":"prompt","message":"go"}`
		ack     = `< {"type":"response","id":"p","command":"prompt","success":true,"data":{"disposition":"started"}}`
		begin   = `< {"type":"agent_start"}`
		turn    = `< {"type":"turn_start","turnIndex":0,"timestamp":1}`
		said    = `< {"type":"message_start","message":` + user + `}`
		saidEnd = `< {"type":"message_end","message":` + user + `}`
		born    = `< {"type":"message_start","message":` + empty + `}`
		block   = `< {"type":"message_update","assistantMessageEvent":{"type":"text_start","contentIndex":0,"partial":` + half + `},"message":` + half + `}`
		delta   = `< {"type":"message_update","assistantMessageEvent":{"type":"text_delta","contentIndex":0,"delta":"Hi.","partial":` + partial + `},"message":` + partial + `}`
		stop    = `< {"type":"message_update","assistantMessageEvent":{"type":"text_end","contentIndex":0,"content":"Hi.","partial":` + partial + `},"message":` + partial + `}`
		whole   = `< {"type":"message_end","message":` + hi + `}`
		turnEnd = `< {"type":"turn_end","turnIndex":0,"message":` + hi + `,"toolResults":[]}`
		end     = `< {"type":"agent_end","messages":[` + user + `,` + hi + `],"sessionId":"s"}`
		again   = `< {"type":"agent_end","messages":[` + hi + `],"sessionId":"s"}`

		rules   = `< {"type":"ttsr_triggered","rules":[{"name":"r","path":"/r.md","content":"x","alwaysApply":false,"condition":["x"],"_source":{"providerName":"P","path":"/r.md","level":"project"}}]}`
		broken  = `< {"type":"message_end","message":` + cut + `}`
		cutTurn = `< {"type":"turn_end","turnIndex":0,"message":` + cut + `,"toolResults":[]}`
		cutRun  = `< {"type":"agent_end","messages":[` + user + `,` + cut + `],"sessionId":"s"}`
		noted   = `< {"type":"message_start","message":` + note + `}`
		noteEnd = `< {"type":"message_end","message":` + note + `}`
		notedAt = `< {"type":"agent_end","messages":[` + user + `,` + note + `,` + hi + `],"sessionId":"s"}`

		reminder = `< {"type":"todo_reminder","todos":[{"id":"t","content":"x","status":"pending"}],"attempt":1,"maxAttempts":3}`
		gone     = `< {"type":"todo_auto_clear"}`

		numbers = `"wallTimeMs":1,"inputTokens":1,"outputTokens":1,"totalTokens":2,"costUsd":0,"toolCalls":4,"subagents":0,"reason":"tool_calls"}}`
		warning = `< {"type":"budget_warning","scope":"session","snapshot":{"status":"warning",` + numbers
		spent   = `< {"type":"budget_exceeded","scope":"session","snapshot":{"status":"exceeded",` + numbers

		called  = `{"type":"toolCall","id":"c","name":"task","arguments":{"x":1}}`
		begun   = `{"role":"assistant","content":[{"type":"toolCall","id":"c","name":"task","arguments":{}}],` + by + `,"stopReason":"stop","timestamp":2}`
		calling = `{"role":"assistant","content":[` + called + `],` + by + `,"stopReason":"stop","timestamp":2}`
		calls   = `{"role":"assistant","content":[` + called + `],` + by + `,"stopReason":"toolUse","timestamp":2,"duration":3}`
		wish    = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_start","contentIndex":0,"partial":` + begun + `},"message":` + begun + `}`
		args    = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_delta","contentIndex":0,"delta":"{\"x\":1}","partial":` + calling + `},"message":` + calling + `}`
		wishEnd = `< {"type":"message_update","assistantMessageEvent":{"type":"toolcall_end","contentIndex":0,"toolCall":` + called + `,"partial":` + calling + `},"message":` + calling + `}`
		wished  = `< {"type":"message_end","message":` + calls + `}`
		run     = `< {"type":"tool_execution_start","toolCallId":"c","toolName":"task","args":{"x":1}}`

		failedCheck = `{"attempt":1,"status":"failed","startedAt":1,"endedAt":2,"commandResults":[{"name":"v","command":"v","exitCode":1,"durationMs":5,"timedOut":false,"artifactPath":"/v.log"}],"error":"e"}`
		passedCheck = `{"attempt":2,"status":"passed","startedAt":1,"endedAt":2,"commandResults":[{"name":"v","command":"v","exitCode":0,"durationMs":6,"timedOut":false}]}`
		verified    = `"verification":{"requested":true,"profile":"ci","mode":"command","status":"retried_passed","attempts":[` + failedCheck + `,` + passedCheck + `],"retriesUsed":1,"onFailure":"retry_once"}`
		head0       = `"index":0,"id":"0-A","agent":"task","agentSource":"bundled","task":"x"`
		details     = `{"projectAgentsDir":null,"results":[{` + head0 + `,"exitCode":0,"output":"","stderr":"","truncated":false,"durationMs":1,"tokens":0,` + verified + `}],"totalDurationMs":1}`
		output      = `"content":[{"type":"text","text":"o"}],"details":` + details
		message     = `{"role":"toolResult","toolCallId":"c","toolName":"task",` + output + `,"isError":false,"timestamp":4}`
		progress    = `{"projectAgentsDir":null,"results":[],"totalDurationMs":1,"progress":[{` + head0 + `,"status":"pending","recentTools":[],"recentOutput":[],"toolCount":0,"tokens":0,"durationMs":0}]}`

		pending  = `< {"type":"tool_execution_update","toolCallId":"c","toolName":"task","args":{"x":1},"partialResult":{"content":[],"details":` + progress + `}}`
		started  = `< {"type":"subagent_start","id":"0-A","agent":"task","isolated":true}`
		verify1  = `< {"type":"subagent_verification_start","id":"0-A","attempt":1,"profile":"ci"}`
		check1   = `< {"type":"subagent_verification_command_start","id":"0-A","attempt":1,"commandName":"v"}`
		checked1 = `< {"type":"subagent_verification_command_end","id":"0-A","attempt":1,"commandName":"v","exitCode":1,"durationMs":5,"artifactId":"/v.log"}`
		fails1   = `< {"type":"subagent_verification_end","id":"0-A","attempt":1,"status":"failed"}`
		verify2  = `< {"type":"subagent_verification_start","id":"0-A","attempt":2,"profile":"ci"}`
		check2   = `< {"type":"subagent_verification_command_start","id":"0-A","attempt":2,"commandName":"v"}`
		checked2 = `< {"type":"subagent_verification_command_end","id":"0-A","attempt":2,"commandName":"v","exitCode":0,"durationMs":6}`
		passes2  = `< {"type":"subagent_verification_end","id":"0-A","attempt":2,"status":"passed"}`
		ended    = `< {"type":"subagent_end","id":"0-A","agent":"task","exitCode":0,` + verified + `}`
		over     = `< {"type":"tool_execution_end","toolCallId":"c","toolName":"task","result":{` + output + `},"isError":false}`
		result   = `< {"type":"message_start","message":` + message + `}`
		resultAt = `< {"type":"message_end","message":` + message + `}`
		taskTurn = `< {"type":"turn_end","turnIndex":0,"message":` + calls + `,"toolResults":[` + message + `]}`
		taskRun  = `< {"type":"agent_end","messages":[` + user + `,` + calls + `,` + message + `],"sessionId":"s"}`
	)
	head := list(ready, prompt, ack, begin, turn, said, saidEnd)
	second := list(begin, turn, born, block, delta, stop, whole, turnEnd, again)
	plain := with(head, list(born, block, delta, stop, whole, turnEnd, end))
	cuts := with(head, list(born, block, delta, rules, broken, cutTurn, cutRun), second)
	notes := with(head, list(noted, noteEnd, born, block, delta, stop, whole, turnEnd, notedAt))
	reminds := with(plain, list(reminder), second)
	calling0 := with(head, list(born, wish, args, wishEnd, wished, run))
	tasks := with(calling0, list(pending, started, verify1, check1, checked1, fails1, verify2, check2, checked2, passes2, ended, over, result, resultAt, taskTurn, taskRun))
	budgets := with(plain[:9], list(warning), plain[9:11], list(spent), plain[11:])
	for name, lines := range map[string][]string{
		"plain": plain, "cut": cuts, "noted": notes, "reminded": reminds, "tasks": tasks, "budgets": budgets,
		"of a task":    with(calling0, list(strings.Replace(warning, `"session"`, `"subagent"`, 1), strings.Replace(spent, `"session"`, `"task"`, 1)), tasks[len(calling0):]),
		"cut for good": cuts[:len(cuts)-len(second)],
	} {
		if c := watch(lines); len(c.problems) > 0 {
			t.Errorf("%s is sound, but %q", name, c.problems)
		}
	}
	for name, lines := range map[string][]string{
		"rules between runs":            with(plain, list(rules)),
		"rules of a whole answer":       with(plain[:12], list(rules), plain[12:]),
		"no rules":                      changed(t, cuts, rules, rules[strings.Index(rules, "{\"name"):len(rules)-2], ""),
		"rules twice":                   twice(cuts, rules),
		"rules, and the answer goes on": with(plain[:10], list(rules), plain[10:]),
		"rules, and another line":       later(cuts, rules, born),
		"rules, and the run goes on":    with(cuts[:13], list(`< {"type":"turn_start","turnIndex":1,"timestamp":1}`)),
		"a run after no cut":            with(plain, second),
		"note after the answer":         with(notes[:14], list(noted, noteEnd), notes[14:]),
		"reminder in a run":             with(plain[:12], list(reminder), plain[12:]),
		"reminder of nothing":           changed(t, reminds, reminder, `"todos":[{"id":"t","content":"x","status":"pending"}]`, `"todos":[]`),
		"reminder of what is done":      changed(t, reminds, reminder, `"pending"`, `"completed"`),
		"reminder out of count":         changed(t, reminds, reminder, `"attempt":1`, `"attempt":2`),
		"a reminder too many":           changed(t, reminds, reminder, `"maxAttempts":3`, `"maxAttempts":0`),
		"two runs for a reminder":       with(reminds, second),
		"nothing to clear":              with(plain, list(gone)),

		"warned twice":             twice(budgets, warning),
		"warned when used up":      with(budgets, list(strings.Replace(warning, `"tool_calls"`, `"cost"`, 1))),
		"used up twice":            twice(budgets, spent),
		"warned of nothing":        changed(t, budgets, warning, `,"reason":"tool_calls"`, ""),
		"warned, used up":          changed(t, budgets, warning, `"status":"warning"`, `"status":"exceeded"`),
		"used up, warned":          changed(t, budgets, spent, `"status":"exceeded"`, `"status":"warning"`),
		"of a task without a call": changed(t, budgets, warning, `"session"`, `"task"`),
		"of another scope":         changed(t, budgets, spent, `"session"`, `"world"`),

		"subagent without a call":               with(list(ready), list(started)),
		"subagent twice":                        twice(tasks, started),
		"subagent without a number":             changed(t, tasks, started, `0-A`, `A`),
		"no beginning of a subagent":            without(tasks, started),
		"no end of a subagent":                  without(tasks, ended),
		"end of a subagent twice":               twice(tasks, ended),
		"end of another agent":                  changed(t, tasks, ended, `"agent":"task"`, `"agent":"plan"`),
		"subagent after its call":               later(tasks, ended, resultAt),
		"verified, not isolated":                changed(t, tasks, started, `"isolated":true`, `"isolated":false`),
		"attempt out of count":                  changed(t, tasks, verify1, `"attempt":1`, `"attempt":2`),
		"attempt in an attempt":                 twice(tasks, verify1),
		"no beginning of an attempt":            without(tasks, verify1),
		"no end of an attempt":                  without(tasks, fails1),
		"end of an attempt twice":               twice(tasks, fails1),
		"another attempt after one that passed": changed(t, tasks, fails1, `"failed"`, `"passed"`),
		"an attempt of no status":               changed(t, tasks, fails1, `"failed"`, `"retried_passed"`),
		"command outside an attempt":            later(tasks, check1, started),
		"command in a command":                  twice(tasks, check1),
		"command of another attempt":            changed(t, tasks, check1, `"attempt":1`, `"attempt":2`),
		"no beginning of a command":             without(tasks, check1),
		"no end of a command":                   without(tasks, checked1),
		"end of another command":                changed(t, tasks, checked1, `"v"`, `"w"`),
		"command, another code":                 changed(t, tasks, checked1, `"exitCode":1`, `"exitCode":2`),
		"command, another time":                 changed(t, tasks, checked1, `"durationMs":5`, `"durationMs":4`),
		"command, another log":                  changed(t, tasks, checked1, `/v.log`, `/w.log`),
		"the end, other attempts":               changed(t, tasks, ended, passedCheck, strings.Replace(passedCheck, `"passed"`, `"failed"`, 1)),
		"the end, an attempt less":              changed(t, tasks, ended, `,`+passedCheck, ""),
		"the end, no verification":              changed(t, tasks, ended, `,`+verified, ""),
		"the end, another status":               changed(t, tasks, ended, `"retried_passed"`, `"passed"`),
		"the end, no retries":                   changed(t, tasks, ended, `"retriesUsed":1`, `"retriesUsed":0`),
		"failed, and ended well":                changed(t, tasks, ended, verified, strings.NewReplacer(`retried_passed`, `failed`, `"attempt":2,"status":"passed"`, `"attempt":2,"status":"failed"`).Replace(verified)),
		"the result, another code":              changed(t, tasks, ended, `"exitCode":0,"verification"`, `"exitCode":1,"verification"`),
		"no result of a subagent":               changed(t, tasks, over, `"results":[{`+head0, `"results":[{`+strings.Replace(head0, "0-A", "0-B", 1)),
		"progress of nothing":                   changed(t, tasks, pending, `"progress":[`, `"progres":[`),
		"progress goes back":                    with(tasks[:len(calling0)], list(strings.Replace(pending, `"pending"`, `"completed"`, 1)), tasks[len(calling0):]),
		"running, not begun":                    changed(t, tasks, pending, `"pending"`, `"running"`),
		"pending, begun":                        later(tasks, pending, started),
		"progress of no status":                 changed(t, tasks, pending, `"pending"`, `"asleep"`),
	} {
		if c := watch(lines); len(c.problems) == 0 {
			t.Errorf("%s is not seen", name)
		}
	}
}
