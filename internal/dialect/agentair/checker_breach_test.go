package agentair

import (
	"slices"
	"strings"
	"testing"
)

// TestChecker shows that the checker sees each kind of breach, so that its silence elsewhere
// means something.
func TestChecker(t *testing.T) {
	const (
		announced = `< {"System":{"message":"Session 1 created (model m)","session_id":1}}`
		message   = `> {"session_id":1,"content":"go","turn_id":{"role":"User","sequence":1}}`
		text      = `< {"TextChunk":{"text":"Hi.","session_id":1,"turn_id":{"role":"Assistant","sequence":1}}}`
		tokens    = `< {"TokenUpdate":{"input_tokens":1,"output_tokens":2,"session_id":1}}`
		call      = `< {"ToolExecuting":{"tool_use_id":"a","tool_name":"bash","input":{},"session_id":1}}`
		second    = `< {"ToolExecuting":{"tool_use_id":"b","tool_name":"bash","input":{},"session_id":1}}`
		ask       = `< {"PermissionRequired":{"tool_use_id":"a","request":{"target_type":"Command","target":"x","level":"Execute","description":"d","reason":null,"recursive":false,"id":"a","tool_name":"bash"},"session_id":1}}`
		batch     = `< {"BatchPermissionRequired":{"batch_id":"batch-1","requests":[{"target_type":"Command","target":"x","level":"Execute","description":"d","reason":null,"recursive":false,"id":"a","tool_name":"bash"},{"target_type":"Command","target":"x","level":"Execute","description":"d","reason":null,"recursive":false,"id":"b","tool_name":"bash"}],"session_id":1}}`
		question  = `< {"UserInteractionRequired":{"tool_use_id":"a","request":{"questions":[{"id":"q1","text":"?","question_type":"FreeText","options":null,"required":false}]},"session_id":1}}`
		no        = `> {"PermissionResponse":{"tool_use_id":"a","response":{"granted":false,"message":"why"}}}`
		noBatch   = `> {"BatchPermissionResponse":{"batch_id":"batch-1","denied_requests":["a","b"]}}`
		denied    = `< {"ToolCompleted":{"tool_use_id":"a","result":"Permission denied by user: why","session_id":1}}`
		result    = `< {"ToolCompleted":{"tool_use_id":"a","result":"r","session_id":1}}`
		complete  = `< {"Complete":{"session_id":1,"turn_id":{"role":"Assistant","sequence":1},"stop_reason":"EndTurn"}}`
		stale     = `< {"Error":{"message":"Stale or duplicate turn id: 1","session_id":1}}`
		clearIt   = `> {"Clear":{"session_id":1}}`
		cleared   = `< {"CommandComplete":{"command":"clear","session_id":1}}`
		create    = `> {"CreateSession":{}}`
		created   = `< {"System":{"message":"Session 2 created (model m)","session_id":2}}`
		ready     = `< {"CommandComplete":{"command":"new-session","session_id":2}}`
		remove    = `> {"RemoveSession":{"session_id":1}}`
		removed   = `< {"CommandComplete":{"command":"remove-session","session_id":1}}`
		shutdown  = `> {"Shutdown":{}}`
		bye       = `< {"System":{"message":"Shutting down","session_id":null}}`
	)
	begun := []string{announced, message}
	with := func(lines ...string) []string { return append(slices.Clone(begun), lines...) }
	longer := func(line, more string) string { return strings.TrimSuffix(line, `}}`) + more + `}}` }
	for name, lines := range map[string][]string{
		"whole":     with(text, tokens, call, ask, no, denied, text, complete, message, stale, clearIt, cleared, message, complete),
		"batch":     with(call, second, batch, noBatch, strings.Replace(denied, ": why", "", 1), strings.Replace(strings.Replace(denied, ": why", "", 1), `"a"`, `"b"`, 1), complete),
		"question":  with(call, question, result, complete),
		"command":   with(complete, `> {"session_id":1,"content":"/clear x","turn_id":{"role":"User","sequence":1}}`, cleared),
		"sessions":  {announced, create, created, ready, remove, removed, `> {"Clear":{"session_id":1}}`, `< {"Error":{"message":"Session not found: 1","session_id":1}}`},
		"shutdown":  with(shutdown, bye),
		"malformed": {announced, `> {"session_id":1,"content":"go"}`, `< {"Error":{"message":"Malformed input: m","session_id":1}}`},
	} {
		if at, c := play(nil, lines); at < len(lines) || len(c.problems) > 0 {
			t.Errorf("%s is sound, but for line %d: %q", name, at, c.problems)
		}
	}
	for name, lines := range map[string][]string{
		"not of the page":                 {longer(announced, `,"more":1`)},
		"extended unasked":                with(longer(tokens, `,"context_limit":1,"turn_id":null`)),
		"session twice":                   {announced, announced},
		"session out of count":            {created},
		"nothing announced":               {message, text},
		"text unasked":                    {announced, text},
		"text of another turn":            with(strings.Replace(text, `"sequence":1`, `"sequence":2`, 1)),
		"text after the end":              with(complete, text),
		"tokens after the end":            with(complete, tokens),
		"call unasked":                    {announced, call},
		"call twice":                      with(call, call),
		"result of nothing":               with(result),
		"result twice":                    with(call, result, result),
		"end with an open call":           with(call, complete),
		"end twice":                       with(complete, complete),
		"end of another turn":             with(strings.Replace(complete, `"sequence":1`, `"sequence":2`, 1)),
		"end of another than announced":   append(with(text, `> {"session_id":1,"content":"go","turn_id":{"role":"User","sequence":2}}`), strings.Replace(complete, `"sequence":1`, `"sequence":2`, 1)),
		"end of an older turn":            append(with(complete, message), complete),
		"ask about nothing":               with(ask),
		"ask twice":                       with(call, ask, ask),
		"ask by another id":               with(call, strings.Replace(ask, `"id":"a"`, `"id":"a-0"`, 1)),
		"ask about another tool":          with(call, strings.Replace(ask, `"tool_name":"bash"`, `"tool_name":"ls"`, 1)),
		"recursive command":               with(call, strings.Replace(ask, `"recursive":false`, `"recursive":true`, 1)),
		"batch out of count":              with(call, second, strings.Replace(batch, "batch-1", "batch-2", 1)),
		"batch about nothing":             with(call, batch),
		"question about nothing":          with(question),
		"question twice":                  with(call, question, question),
		"question by another id":          with(call, strings.Replace(question, "q1", "q2", 1)),
		"refused and done":                with(call, ask, no, result),
		"refused in a batch, and done":    with(call, second, batch, noBatch, result),
		"command unasked":                 {announced, cleared},
		"command done twice":              {announced, clearIt, cleared, cleared},
		"session made twice":              {announced, create, created, ready, ready},
		"something of a removed one":      {announced, remove, removed, `< {"Display":{"content":"c","session_id":1}}`},
		"something after the end":         {announced, shutdown, bye, announced},
		"failure of an unknown session":   {`< {"Error":{"message":"m","session_id":1}}`},
		"a Complete of a round, unlooked": with(call, strings.Replace(complete, "EndTurn", "ToolUse", 1)),
	} {
		if at, _ := play(nil, lines); at != len(lines)-1 {
			t.Errorf("%s: not seen, or at line %d of %d", name, at, len(lines))
		}
	}
	for name, lines := range map[string][]string{
		"message that never ends":      with(text),
		"call that never ends":         with(shutdown, call, bye),
		"refusal of nothing":           {announced, stale},
		"command that never ends":      {announced, clearIt},
		"session that never comes":     {announced, create},
		"shutdown without an answer":   {announced, shutdown},
		"shutdown without a request":   {announced, bye},
		"message refused and answered": with(stale, complete),
	} {
		at, c := play(nil, lines)
		if at < len(lines) {
			t.Errorf("%s: line %d: %q", name, at, c.problems)
			continue
		}
		if c.end(); len(c.problems) == 0 {
			t.Errorf("%s: not seen", name)
		}
	}
	extended := []string{"--extended"}
	both := longer(tokens, `,"context_limit":1,"turn_id":null`)
	if at, c := play(extended, with(text, both)); at < 4 {
		t.Error(c.problems)
	}
	for name, line := range map[string]string{
		"one field of two":   longer(tokens, `,"context_limit":1`),
		"in another order":   longer(tokens, `,"turn_id":null,"context_limit":1`),
		"another field":      longer(both, `,"more":1`),
		"before the page's":  strings.Replace(tokens, `{"input`, `{"context_limit":1,"turn_id":null,"input`, 1),
		"of another variant": longer(text, `,"context_limit":1,"turn_id":null`),
	} {
		if at, _ := play(extended, with(line)); at != 2 {
			t.Errorf("extended, %s: not seen", name)
		}
	}
}

// play gives a dialogue to a fresh checker; at is where it stopped.
func play(args, lines []string) (at int, c *checker) {
	c = newChecker(args)
	for at, line := range lines {
		if sent, ok := strings.CutPrefix(line, "> "); ok {
			c.sent([]byte(sent))
		} else {
			c.line([]byte(strings.TrimPrefix(line, "< ")))
		}
		if len(c.problems) > 0 {
			return at, c
		}
	}
	return len(lines), c
}
