package batch

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// memoryBlobs are blobs of a test.
type memoryBlobs map[string][]byte

func (m memoryBlobs) PutBlob(_ context.Context, _ string, data []byte) (string, error) {
	address := Address(data)
	m[address] = data
	return address, nil
}

func (m memoryBlobs) Blob(_ context.Context, _, address string) ([]byte, error) {
	data, ok := m[address]
	if !ok {
		return nil, ErrNoBlob
	}
	return data, nil
}

// TestEncodeEvent: an event is an entry; one that is too large is a blob that a short one names, and completes to the same.
func TestEncodeEvent(t *testing.T) {
	long := strings.Repeat("long ", MaxEntry/4)
	result := func(answer string) *Result {
		return &Result{Task: "t", Status: Done, Answer: answer, Verify: []Verification{{"true", 0, answer}}, Patch: &Patch{Bytes: 3, SHA256: "ab", Files: []FileChange{{"a", "add", 1, 0}}}}
	}
	for _, test := range []struct {
		name  string
		ev    Event
		blobs int
	}{
		{"small", Event{Kind: TaskDefined, Task: &Task{ID: "t", Prompt: "short", RetryOn: []Cause{CauseLost}}}, 0},
		{"a long prompt", Event{Kind: TaskDefined, Queue: "q", Task: &Task{ID: "t", Prompt: long, RetryOn: []Cause{CauseLost}}}, 1},
		{"a long answer", Event{Kind: TaskFinished, Result: result(long), PatchText: []byte("abc")}, 1},
		{"a short answer", Event{Kind: TaskFinished, Result: result("short"), PatchText: []byte("abc")}, 0},
	} {
		blobs := memoryBlobs{}
		data, err := encodeEvent(t.Context(), blobs, "b", test.ev)
		if err != nil || len(data) > MaxEntry || len(blobs) != test.blobs {
			t.Errorf("%s: %d bytes, %d blobs, %v", test.name, len(data), len(blobs), err)
			continue
		}
		short, err := decodeEvent(Entry{Data: data})
		if err != nil || short.Kind != test.ev.Kind || short.Result != nil && (short.Result.Status != Done || short.Result.Patch.SHA256 != "ab") {
			t.Errorf("%s: %+v, %v", test.name, short, err)
		}
		whole, err := complete(t.Context(), blobs, "b", short)
		if diff := cmp.Diff(test.ev, whole); err != nil || diff != "" {
			t.Errorf("%s: %v (-want +got):\n%.2000s", test.name, err, diff)
		}
		if test.blobs > 0 {
			if _, err := complete(t.Context(), memoryBlobs{}, "b", short); err == nil {
				t.Errorf("%s: an event without its blob is complete", test.name)
			}
		}
	}
}

func TestDecodeEvent(t *testing.T) {
	for _, text := range []string{"", "{", `[]`, `{"kind":1}`, `{"kind":"attempt","attempt":"1"}`} {
		if ev, err := decodeEvent(Entry{Log: Log{Batch: "b", Task: "t"}, Number: 7, Data: []byte(text)}); err == nil || !strings.Contains(err.Error(), "entry 7 of task t of batch b") {
			t.Errorf("%q is %+v, %v", text, ev, err)
		}
	}
}

// FuzzTaskState: no entry ends the program, and one that is refused changes nothing.
func FuzzTaskState(f *testing.F) {
	f.Add([]byte(`{"kind":"task","task":{"id":"t"}}`), []byte(`{"kind":"attempt","attempt":1}`), []byte(`{"kind":"result","result":{"status":"done"}}`))
	f.Add([]byte(`{"kind":"task"}`), []byte(`{"kind":"result"}`), []byte(`{"kind":"retry"}`))
	f.Add([]byte(`{"kind":"task"}`), []byte(`{"kind":"attempt"}`), []byte(`{"kind":"requeue","free":true}`))
	f.Fuzz(func(t *testing.T, one, two, three []byte) {
		var s TaskState
		for i, data := range [][]byte{one, two, three} {
			before := s
			if err := s.Apply(Entry{Log: Log{Batch: "b", Task: "t"}, Number: uint64(i + 1), Data: data}); err != nil {
				if diff := cmp.Diff(before, s); diff != "" {
					t.Errorf("%s is refused (%v) and changes the state: %s", data, err, diff)
				}
			}
		}
	})
}

// TestCancellation: a cancellation is about the tasks that it names, or all, in the round that it comes in.
func TestCancellation(t *testing.T) {
	for _, test := range []struct {
		tasks []string
		task  string
		want  bool
	}{
		{nil, "a", true},
		{[]string{"a", "b"}, "b", true},
		{[]string{"a", "b"}, "c", false},
	} {
		if got := (cancellation{test.tasks}).covers(test.task); got != test.want {
			t.Errorf("%q covers %s: %t", test.tasks, test.task, got)
		}
	}
	s := newState()
	s.cancels = []numberedCancel{{cancellation{[]string{"a"}}, 5}}
	for task, rounds := range map[string]map[uint64]bool{"a": {4: true, 6: false}, "b": {4: false}} {
		for round, want := range rounds {
			if got := s.Cancelled(&TaskState{ID: task, Round: round}); got != want {
				t.Errorf("task %s of round %d is cancelled: %t", task, round, got)
			}
		}
	}
}

// TestDigest: the same tasks have the same id, in whatever order their members are written; another order of tasks has another.
func TestDigest(t *testing.T) {
	a, b := Task{ID: "a", Prompt: "x", Labels: map[string]string{"x": "1", "y": "2"}}, Task{ID: "b", Prompt: "y"}
	ids := map[string]string{}
	for name, tasks := range map[string][]Task{"ab": {a, b}, "ab again": {a, b}, "ba": {b, a}, "a": {a}} {
		digest, err := Digest(tasks)
		if err != nil || len(batchID(digest)) != 12 {
			t.Errorf("%s: %q, %v", name, digest, err)
		}
		ids[name] = batchID(digest)
	}
	if ids["ab"] != ids["ab again"] || ids["ab"] == ids["ba"] || ids["ab"] == ids["a"] {
		t.Error(fmt.Sprint(ids))
	}
	one, err := taskID([]byte(`{"prompt":"x","repo":"/a"}`))
	other, err2 := taskID([]byte(`{ "repo": "/a", "prompt": "x" }`))
	if err != nil || err2 != nil || one != other || len(one) != 16 {
		t.Errorf("%q, %q, %v, %v", one, other, err, err2)
	}
}
