package engine

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A witness follows a session, and fails the test when it receives a record that is not on disk.
type witness struct {
	mu       sync.Mutex
	numbered []event.Record
	ahead    []event.Record // without numbers
	over     chan struct{}  // closed when nothing follows
}

func (b *bench) witness(t *testing.T, s *Session) *witness {
	w := &witness{over: make(chan struct{})}
	records := s.Log().Follow(t.Context(), 1, event.KindTextDelta)
	go func() {
		defer close(w.over)
		for rec, err := range records {
			if err != nil { // the test is over
				return
			}
			if n := uint64(len(b.store.only().records(true))); rec.Seq > n {
				t.Errorf("record %d (%s) is shown, and %d are on disk", rec.Seq, rec.Event.Kind(), n)
			}
			w.mu.Lock()
			if rec.Seq != 0 {
				w.numbered = append(w.numbered, rec)
			} else if _, delta := rec.Event.(event.TextDelta); !delta {
				w.ahead = append(w.ahead, rec)
			}
			w.mu.Unlock()
		}
	}()
	return w
}

func (w *witness) kinds() (numbered int, ahead []event.Kind) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, rec := range w.ahead {
		ahead = append(ahead, rec.Event.Kind())
	}
	return len(w.numbered), ahead
}

// saved returns a session that is stored.
func saved(t *testing.T, b *bench, edit func(*Options, *event.Settings)) *Session {
	t.Helper()
	s := b.session(t, edit)
	if err := s.Save(); err != nil {
		t.Fatal(err)
	}
	return s
}

// TestShownOnceOnDisk is a property: whatever each sync takes, and though some fail, a follower receives no record before it is on disk,
// approvals and their answers included, and in the end it has received every record.
func TestShownOnceOnDisk(t *testing.T) {
	needsDisk(t)
	for seed := range uint64(40) {
		random := rand.New(rand.NewPCG(seed, 2))
		work := workTool(func(context.Context, tool.Hooks, string) tool.Result { return tool.Result{Text: "done"} })
		b := newBench(t, []fakeTool{work, lookTool()},
			call(toolCall("c", "work", `{}`), toolCall("d", "look", `{}`)), say("one", "two"), call(toolCall("e", "work", `{}`)), say("ok"))
		s := saved(t, b, func(o *Options, set *event.Settings) { set.Mode = string(approval.Prompt) })
		w := b.witness(t, s)
		var mu sync.Mutex
		b.store.setSync(func() {
			mu.Lock()
			defer mu.Unlock()
			for range random.IntN(100) * random.IntN(3) {
				runtime.Gosched()
			}
			b.store.setFailing(nil)
			if seed%4 == 0 && random.IntN(6) == 0 {
				b.store.setFailing(errors.New("input/output error"))
			}
		})
		c := s.Attach(ClientInfo{})
		answering := s.Log().Follow(t.Context(), 1)
		go func() {
			for rec, err := range answering {
				if e, ok := rec.Event.(event.ApprovalAsked); ok && err == nil {
					_ = c.Answer(e.ID, Decision{Allow: true})
				}
			}
		}()
		for _, text := range []string{"go", "more"} {
			for {
				_, err := s.Prompt(t.Context(), Prompt{Text: text})
				if err == nil {
					break
				}
				if !errors.Is(err, ErrUnsaved) && !errors.Is(err, ErrTurnActive) {
					t.Fatal(err)
				}
				_ = s.Wait(t.Context())
			}
			_ = s.Wait(t.Context())
		}
		b.store.setSync(nil)
		b.store.setFailing(nil)
		if err := s.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		<-w.over
		head := s.State().Head
		if got, _ := w.kinds(); uint64(got) != head {
			t.Errorf("seed %d: %d records are shown, the head is %d", seed, got, head)
		}
		checkBalanced(t, b.store.only().records(true))
	}
}

// TestUnsaved: a disk that fails at any moment ends the turn. Its followers receive that without numbers, a tool whose start is not on disk
// does not run, and prompts are refused. When the disk works again the session goes on, and every record comes once, in order.
func TestUnsaved(t *testing.T) {
	needsDisk(t)
	full := errors.New("no space left on device")
	for name, fail := range map[string]func(*memStore, error){"sync": (*memStore).setFailing, "write": (*memStore).setBroken} {
		for phase, want := range map[string]struct {
			ahead   []event.Kind
			runs    bool
			refused bool // the prompt
		}{
			"prompt":   {ahead: []event.Kind{event.KindNotice, event.KindTurnEnded}, refused: true},
			"text":     {ahead: []event.Kind{event.KindNotice, event.KindStepEnded, event.KindTurnEnded}},
			"approval": {ahead: []event.Kind{event.KindNotice, event.KindApprovalAnswered, event.KindToolEnded, event.KindStepEnded, event.KindTurnEnded}},
			"tool":     {ahead: []event.Kind{event.KindNotice, event.KindToolEnded, event.KindStepEnded, event.KindTurnEnded}, runs: true},
			"end":      {ahead: []event.Kind{event.KindNotice, event.KindStepEnded, event.KindTurnEnded}, runs: true},
		} {
			if name == "write" && phase == "prompt" {
				continue // nothing is accepted: TestBrokenJournal
			}
			t.Run(name+" "+phase, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					ran := false
					var b *bench
					failed := false
					failIn := func(now string) {
						if now == phase && !failed {
							failed = true
							synctest.Wait() // everything before is shown
							fail(b.store, full)
						}
					}
					work := workTool(func(context.Context, tool.Hooks, string) tool.Result {
						ran = true
						failIn("tool")
						return tool.Result{Text: "done"}
					})
					b = newBench(t, []fakeTool{work},
						func(ctx context.Context, r *modelRequest, y yieldFunc) {
							failIn("text")
							call(toolCall("c", "work", `{}`))(ctx, r, y)
						},
						func(ctx context.Context, r *modelRequest, y yieldFunc) {
							failIn("end")
							say("ok")(ctx, r, y)
						},
						say("later"))
					s := saved(t, b, func(o *Options, set *event.Settings) { set.Mode = string(approval.Prompt) })
					w := b.witness(t, s)
					c := s.Attach(ClientInfo{})
					answering := s.Log().Follow(t.Context(), 1)
					go func() {
						for rec, err := range answering {
							if e, ok := rec.Event.(event.ApprovalAsked); ok && err == nil {
								if failIn("approval"); phase != "approval" {
									_ = c.Answer(e.ID, Decision{Allow: true})
								} else {
									_ = s.Change(func(set *event.Settings) { set.Name = "a name" }) // notices that nothing can be written
								}
							}
						}
					}()
					failIn("prompt")
					if _, err := s.Prompt(t.Context(), Prompt{Text: "go"}); errors.Is(err, ErrUnsaved) != want.refused {
						t.Fatalf("Prompt = %v", err)
					}
					_ = s.Wait(t.Context())
					synctest.Wait()
					if _, ahead := w.kinds(); !slices.Equal(ahead, want.ahead) {
						t.Errorf("records without numbers: %v, want %v", ahead, want.ahead)
					}
					end := last[event.TurnEnded](w.ahead)
					if e := w.ahead[len(w.ahead)-1].Event.(event.TurnEnded); e.Failure == nil || e.Failure.Kind != FailUnsaved || end != 0 {
						t.Errorf("the end is %+v", e)
					}
					if ran != want.runs {
						t.Errorf("the tool ran: %t", ran)
					}
					if _, err := s.Prompt(t.Context(), Prompt{Text: "refused"}); !errors.Is(err, ErrUnsaved) || errors.Is(err, ErrOutcomeUnknown) {
						t.Errorf("a prompt that cannot be saved: %v", err)
					}
					for _, err := range s.Log().Records(t.Context()) {
						if err != nil && !errors.Is(err, ErrUnsaved) {
							t.Errorf("Records: %v", err)
						}
					}
					fail(b.store, nil)
					if _, err := s.Prompt(t.Context(), Prompt{Text: "more"}); err != nil {
						t.Fatal(err)
					}
					_ = s.Wait(t.Context())
					synctest.Wait()
					for i, rec := range w.numbered {
						if rec.Seq != uint64(i)+1 {
							t.Errorf("record %d is the %dth", rec.Seq, i+1)
						}
					}
					if n := len(w.numbered); uint64(n) != s.State().Head {
						t.Errorf("%d records are shown, the head is %d", n, s.State().Head)
					}
					checkBalanced(t, b.store.only().records(true))
				})
			})
		}
	}
}

// TestSyncFailsAtClose: closing a session whose records cannot be saved fails, and its followers end.
func TestSyncFailsAtClose(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		b := newBench(t, nil, say("ok"))
		s := saved(t, b, nil)
		ended(t, turnOf(t, s, "go", nil))
		b.store.setBroken(errors.New("input/output error"))
		if err := s.Change(func(set *event.Settings) { set.Name = "a name" }); err != nil {
			t.Fatal(err)
		}
		if err := s.Close(t.Context()); !errors.Is(err, ErrUnsaved) {
			t.Errorf("Close = %v", err)
		}
	})
}

// TestCompactUnsaved: a compaction on request that cannot be saved fails, another one is refused, and its summary is recorded when the disk
// works again. Clients that do not wait for it receive a notice, without a number.
func TestCompactUnsaved(t *testing.T) {
	needsDisk(t)
	full := errors.New("no space left on device")
	for name, fail := range map[string]func(*memStore, error){"sync": (*memStore).setFailing, "write": (*memStore).setBroken} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var b *bench
				summary := func(ctx context.Context, r *modelRequest, y yieldFunc) {
					synctest.Wait() // everything before is shown
					fail(b.store, full)
					say("the summary")(ctx, r, y)
				}
				b = newBench(t, nil, say("one"), summary, say("two"), summary, say("three"))
				s := saved(t, b, nil)
				w := b.witness(t, s)
				prompt := func(text string) {
					t.Helper()
					if _, err := s.Prompt(t.Context(), Prompt{Text: text}); err != nil {
						t.Fatal(err)
					}
					_ = s.Wait(t.Context())
					synctest.Wait()
				}
				prompt("go")
				if done, err := compactNow(s, ""); !errors.Is(err, ErrUnsaved) {
					t.Errorf("a compaction that is not saved: %+v, %v", done, err)
				}
				if _, err := compactNow(s, ""); !errors.Is(err, ErrUnsaved) {
					t.Errorf("another one: %v", err)
				}
				fail(b.store, nil)
				prompt("more")
				if n := len(find[event.Compacted](w.numbered)); n != 1 {
					t.Errorf("%d summaries are recorded", n)
				}
				if err := s.CompactNoticed(t.Context(), "", func(f func()) { f() }); err != nil {
					t.Error(err)
				}
				synctest.Wait()
				notices := find[event.Notice](w.ahead)
				if last := notices[len(notices)-1]; last.Code != NoticeCompactionFailed {
					t.Errorf("the last record without a number: %+v", last)
				}
				fail(b.store, nil)
				prompt("on")
				if n := len(find[event.Compacted](w.numbered)); n != 2 {
					t.Errorf("%d summaries are recorded", n)
				}
			})
		})
	}
}

// TestCompactedIsIdle: a session whose summary is being saved is idle: a client that receives the summary afterwards can prompt at once.
func TestCompactedIsIdle(t *testing.T) {
	needsDisk(t)
	synctest.Test(t, func(t *testing.T) {
		var b *bench
		saving := make(chan struct{})
		summary := func(ctx context.Context, r *modelRequest, y yieldFunc) {
			b.store.setSync(func() { <-saving })
			say("the summary")(ctx, r, y)
		}
		b = newBench(t, nil, say("one"), summary)
		s := saved(t, b, nil)
		b.witness(t, s)
		ended(t, turnOf(t, s, "go", nil))
		synctest.Wait() // everything is saved
		wait, err := s.Compact(t.Context(), "")
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if s.State().Busy {
			t.Error("the session is busy while the summary is saved")
		}
		close(saving)
		if _, err := wait(); err != nil {
			t.Error(err)
		}
	})
}
