package host

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"parley.dev/parley/e2e/stage"
)

// Requests of an editor that speaks ACP, but for the id of the first.
const (
	acpHello  = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":1}}`
	acpAllow  = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"allow-once"}}}`
	acpReject = `{"jsonrpc":"2.0","id":0,"result":{"outcome":{"outcome":"selected","optionId":"reject-once"}}}`
)

func acpLoad(id int, session string, p *stage.Place) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/load","params":{"sessionId":%q,"cwd":%q,"mcpServers":[]}}`, id, session, p.Work)
}

func acpPrompt(id int, session, text string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"session/prompt","params":{"sessionId":%q,"prompt":[{"type":"text","text":%q}]}}`, id, session, text)
}

// TestEditorJoins: an editor loads the session of a native client while a call waits, is requested to decide, and allows it. Both
// see the end, and the answer of the other is refused.
func TestEditorJoins(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript)
	s := serve(t, p)
	a := s.client("a")
	session := created(a, p)
	a.follow(session, 1)
	a.prompt(session, "p-1", "Go.")
	a.until("approval_asked")

	editor := relay(t, p, "acp")
	editor.send(acpHello)
	editor.until(`"id":0,"result"`)
	editor.send(acpLoad(1, session, p))
	editor.until(`"user_message_chunk"`, `"Go."`)
	editor.until(`"id":1,"result"`, `"configOptions"`)
	editor.until(`"id":0,"method":"session/request_permission"`, `"title":"echo hello > out.txt"`)
	editor.send(acpAllow)
	a.until("approval_answered")
	late := a.call("approval/answer", map[string]any{"session": session, "approval": "a-1", "allow": false})
	if late.Error == nil || late.Error.Code != -32007 || !strings.HasSuffix(late.Error.Message, "allowed") {
		t.Errorf("a late answer: %+v", late.Error)
	}
	if end := a.until("turn_ended"); !strings.Contains(string(end[len(end)-1].Data), `"reason":"completed"`) {
		t.Errorf("the turn: %s", end[len(end)-1].Data)
	}
	editor.until(`"tool_call_update"`, `"completed"`)
	editor.until(`"agent_message_chunk"`, `"Done."`)
	editor.exits(0)
	a.prompt(session, "p-2", "Still there?") // the editor took nothing along
	a.until("turn_ended")
}

// A page is a client over WebSocket.
type page struct {
	*messages
	lines []string // that were read
}

// acpOverWeb connects a client that speaks ACP.
func (s *server) acpOverWeb(p *stage.Place) *page {
	s.t.Helper()
	ws := s.connect("/v1/acp?"+url.Values{"cwd": {p.Work}}.Encode(), s.token(), nil)
	return &page{messages: &messages{t: s.t, ws: ws}}
}

func (w *page) send(line string) {
	w.t.Helper()
	if err := w.ws.Write(w.t.Context(), websocket.MessageText, []byte(line)); err != nil {
		w.t.Fatal(err)
	}
}

// until reads messages up to one that has all parts, and returns it.
func (w *page) until(parts ...string) string {
	w.t.Helper()
	for {
		_, data, err := w.ws.Read(w.t.Context())
		if err != nil {
			w.t.Fatalf("no message with %q: %v\n%s", parts, err, strings.Join(w.lines, "\n"))
		}
		w.lines = append(w.lines, string(data))
		has := true
		for _, part := range parts {
			has = has && strings.Contains(string(data), part)
		}
		if has {
			return string(data)
		}
	}
}

// TestEditors: two editors, one over WebSocket, share a session. The call of a turn is shown to both; the first answer counts,
// the request to the other is withdrawn, and its late answer changes nothing.
func TestEditors(t *testing.T) {
	t.Parallel()
	p := place(t, askingScript+"next\ntext Again.\n")
	s := serve(t, p, "--listen", "127.0.0.1:0")
	editor := relay(t, p, "acp")
	editor.send(acpHello)
	editor.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"session/new","params":{"cwd":%q,"mcpServers":[]}}`, p.Work))
	_, session, _ := strings.Cut(editor.until(`"id":1,"result"`), `"sessionId":"`)
	session, _, _ = strings.Cut(session, `"`)
	editor.send(acpPrompt(2, session, "Go."))
	editor.until(`"id":0,"method":"session/request_permission"`)

	web := s.acpOverWeb(p)
	web.send(acpHello)
	web.send(acpLoad(1, session, p))
	web.until(`"id":1,"result"`)
	web.until(`"id":0,"method":"session/request_permission"`)
	editor.send(acpAllow)
	web.until(`"$/cancel_request"`, `"requestId":0`)
	web.send(acpReject)
	web.until(`"tool_call_update"`, `"completed"`)
	web.until(`"agent_message_chunk"`, `"Done."`)
	editor.until(`"id":2,"result"`, `"end_turn"`)

	web.send(acpPrompt(3, session, "And now?"))
	web.until(`"agent_message_chunk"`, `"Again."`)
	web.until(`"id":3,"result"`, `"end_turn"`)
	editor.until(`"agent_message_chunk"`, `"Again."`)
	web.ws.Close(websocket.StatusNormalClosure, "")
	editor.exits(0)
}
