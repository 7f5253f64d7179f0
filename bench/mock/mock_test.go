package mock

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/internal/model/modeltest"
)

// ask gets one answer of the model on a wire.
func ask(t *testing.T, m *Model, wire modeltest.Wire) string {
	t.Helper()
	response, err := http.Post(wire.BaseURL(m.URL)+strings.TrimPrefix(string(wire), "/v1"), "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %v", response.Status, err)
	}
	return string(body)
}

func TestScenarios(t *testing.T) {
	m, err := New()
	if err != nil {
		t.Fatal(err)
	}
	defer m.Close()
	for _, wire := range []modeltest.Wire{modeltest.OpenAIChat, modeltest.OpenAIResponses, modeltest.Anthropic} {
		t.Run(strings.TrimPrefix(string(wire), "/"), func(t *testing.T) {
			m.Play(Scenario{Deltas: 7})
			if got := strings.Count(ask(t, m, wire), "word;"); got != 7 && got != 7*3 { // the Responses wire says all twice more at the end
				t.Errorf("%d deltas, want 7", got)
			}

			take := m.Play(Scenario{First: time.Millisecond, Deltas: 5, Every: time.Millisecond})
			begin := Now()
			stream := ask(t, m, wire)
			var sent []time.Duration
			Sent([]byte(stream), func(d time.Duration) {
				if d > 0 {
					sent = append(sent, d)
				}
			})
			if len(sent) != 5 {
				t.Fatalf("%d deltas have their time, want 5: %s", len(sent), stream)
			}
			for i, d := range sent {
				if earliest := begin + time.Millisecond + time.Duration(i)*time.Millisecond; d < earliest || d > Now() {
					t.Errorf("delta %d was sent at %v, want %v or a little later", i, d, earliest)
				}
			}
			if arrived := take.Arrived(); len(arrived) != 1 || arrived[0] < begin || arrived[0] > sent[0] || take.Last() != "{}" {
				t.Errorf("requests came at %v, the last is %q", arrived, take.Last())
			}

			take = m.Play(Scenario{Rounds: 2, Tool: "read", Input: `{"path":"a"}`, Deltas: 1})
			for n, want := range []string{"call_0", "call_1", "word;"} {
				if got := ask(t, m, wire); !strings.Contains(got, want) {
					t.Errorf("answer %d has no %s: %s", n, want, got)
				}
			}
			if a, s := take.Arrived(), take.Sent(); len(a) != 3 || len(s) != 3 || s[0] > a[1] {
				t.Errorf("requests came at %v, answers went at %v", a, s)
			}
		})
	}
}

// TestCount: deltas are counted and dated however they were merged.
func TestCount(t *testing.T) {
	frame := []byte(`{"delta":"` + unsent + `"}`)
	stamp(frame, 1234567*time.Nanosecond)
	if string(frame) != `{"delta":"@000000001234567;"}` {
		t.Errorf("got %s", frame)
	}
	text := []byte("@000000000000001;@000000000000020;" + plain + "@00000000000x300;@000000000000400;@00")
	var sent []time.Duration
	Sent(text, func(d time.Duration) { sent = append(sent, d) })
	if Count(text) != 5 || len(sent) != 3 || sent[0] != 1 || sent[1] != 20 || sent[2] != 400 {
		t.Errorf("%d deltas, sent at %v", Count(text), sent)
	}
}
