package engine

import (
	"context"
	"slices"
	"strings"
	"testing"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/session"
)

// An editing is a HistoryEditor of two functions; nil: it changes nothing.
type editing struct {
	history    func([]HistoryMessage) []HistoryMessage
	compacting func(context.Context, CompactionRequest) CompactionDraft
}

func (e editing) History(_ context.Context, all []HistoryMessage) []HistoryMessage {
	if e.history == nil {
		return nil
	}
	return e.history(all)
}

func (e editing) DraftCompaction(ctx context.Context, c CompactionRequest) CompactionDraft {
	if e.compacting == nil {
		return CompactionDraft{}
	}
	return e.compacting(ctx, c)
}

// shownTo returns messages as a line: roles, texts, calls and results.
func shownTo(messages []model.Message) string {
	var all []string
	for _, m := range messages {
		line := string(m.Role)
		for _, b := range m.Blocks {
			switch {
			case b.Call != nil:
				line += " call " + b.Call.ID
			case b.Result != nil:
				line += " " + b.Result.CallID + "=" + b.Result.Text
			default:
				line += " " + b.Text
			}
		}
		all = append(all, line)
	}
	return strings.Join(all, "|")
}

// TestEditorOfHistory: what a request has is what the editor leaves, with each call paired; the
// history stays what it was, and an editor that fails or leaves nothing changes nothing.
func TestEditorOfHistory(t *testing.T) {
	const whole = "user go|assistant call c1|tool c1=seen"
	text := func(role model.Role, words string) HistoryMessage {
		return HistoryMessage{Role: role, Blocks: []model.Block{model.TextBlock(words)}}
	}
	for _, test := range []struct {
		name string
		edit func([]HistoryMessage) []HistoryMessage
		want string
	}{
		{"nothing", func([]HistoryMessage) []HistoryMessage { return nil }, whole},
		{"a panic", func([]HistoryMessage) []HistoryMessage { panic("x") }, whole},
		{"none is left", func([]HistoryMessage) []HistoryMessage { return []HistoryMessage{} }, whole},
		{"one more", func(all []HistoryMessage) []HistoryMessage { return append(all, text(model.User, "hint")) }, whole + "|user hint"},
		{"a result is gone", func(all []HistoryMessage) []HistoryMessage { return all[:2] }, "user go|assistant call c1|tool c1=" + session.NeverRan},
		{"a call is gone", func(all []HistoryMessage) []HistoryMessage { return slices.Delete(all, 1, 2) }, "user go"},
		{"another result", func(all []HistoryMessage) []HistoryMessage {
			all[2].Blocks = []model.Block{model.ResultBlock(model.Result{CallID: "c1", Text: "short"})}
			return all
		}, "user go|assistant call c1|tool c1=short"},
		{"results before calls", func(all []HistoryMessage) []HistoryMessage { return []HistoryMessage{all[0], all[2], all[1]} }, whole},
		{"an empty message", func(all []HistoryMessage) []HistoryMessage { return append(all, HistoryMessage{Role: model.User}) }, whole},
	} {
		t.Run(test.name, func(t *testing.T) {
			b := newBench(t, []fakeTool{lookTool()}, call(toolCall("c1", "look", `{}`)), say("done"), say("again"))
			seqs := []uint64{}
			active := true
			s := b.session(t, func(o *Options, _ *event.Settings) {
				o.Plugins = []Plugin{editing{history: func(all []HistoryMessage) []HistoryMessage {
					if !active || len(all) < 3 {
						return nil
					}
					for _, said := range all {
						seqs = append(seqs, said.Seq)
					}
					return test.edit(all)
				}}}
			})
			ended(t, turnOf(t, s, "go", nil))
			if got := shownTo(b.requests()[1].Messages); got != test.want {
				t.Errorf("the model was shown %s, want %s", got, test.want)
			}
			if len(seqs) != 3 || seqs[0] == 0 || seqs[1] <= seqs[0] || seqs[2] != 0 {
				t.Errorf("records %v", seqs)
			}
			active = false
			ended(t, turnOf(t, s, "more", nil))
			if got := shownTo(b.requests()[2].Messages); got != whole+"|assistant done|user more" {
				t.Errorf("the history became %s", got)
			}
		})
	}
}

// TestEditorOfCompaction: an editor can refuse a compaction, write the summary, set what is kept, or instruct
// the model how to write it.
func TestEditorOfCompaction(t *testing.T) {
	var none, first uint64
	mine := session.CompactedText(event.Compacted{Summary: "mine"})
	for _, test := range []struct {
		name  string
		draft CompactionDraft
		err   error
		want  string // what the next request has before its prompt
		asks  string // the end of the prompt of the model that summarises; "": no request is made
	}{
		{"refused", CompactionDraft{Refused: true}, ErrInterrupted, "user one|assistant 1|user two|assistant 2", ""},
		{"a summary", CompactionDraft{Summary: "mine"}, nil, "user " + mine, ""},
		{"a summary that keeps nothing", CompactionDraft{Summary: "mine", KeptFrom: &none}, nil, "user " + mine, ""},
		{"a summary that keeps", CompactionDraft{Summary: "mine", KeptFrom: &first}, nil, "user " + mine + "|user two|assistant 2", ""},
		{"another prompt", CompactionDraft{Prompt: "a poem", Context: []string{"hear", "hear"}}, nil, "user " + summarised("theirs", "one", "two"), "hear\n\nhear\n\nThe user asks the summary to: please"},
	} {
		t.Run(test.name, func(t *testing.T) {
			answers := []answerFunc{say("1"), say("2")}
			if test.asks != "" {
				answers = append(answers, say("theirs"))
			}
			b := newBench(t, nil, append(answers, say("on"))...)
			s := b.session(t, func(o *Options, _ *event.Settings) {
				o.Plugins = []Plugin{editing{compacting: func(_ context.Context, c CompactionRequest) CompactionDraft {
					if c.Guidance != "please" || c.Reason != event.CompactAsked || c.TokensBefore == 0 {
						t.Errorf("the editor received %+v", c)
					}
					return test.draft
				}}}
			})
			ended(t, turnOf(t, s, "one", nil))
			for _, rec := range turnOf(t, s, "two", nil) {
				if _, ok := rec.Event.(event.UserMessage); ok {
					first = rec.Seq
				}
			}
			done, err := compactNow(s, "please")
			if err != test.err {
				t.Fatalf("it ended with %v", err)
			}
			if test.draft.Summary != "" && (done.Usage != model.Usage{} || done.Summary != "mine") {
				t.Errorf("it gave %+v", done)
			}
			checkBytes(t, s)
			ended(t, turnOf(t, s, "three", nil))
			requests := b.requests()
			if got := shownTo(requests[len(requests)-1].Messages); got != test.want+"|user three" {
				t.Errorf("the model was shown %s", got)
			}
			if test.asks != "" {
				if asked := requests[2]; asked.System != "a poem" || !strings.HasSuffix(asked.Messages[0].Text(), test.asks) {
					t.Errorf("the model that summarises received %q, %q", asked.System, asked.Messages[0].Text())
				}
			}
		})
	}
}

// TestEditorRefusesByItself: an automatic compaction that is refused is recorded like one that
// was interrupted, and the turn goes on.
func TestEditorRefusesByItself(t *testing.T) {
	full := func(_ context.Context, _ *model.Request, yield func(model.Delta, error) bool) {
		yield(model.Delta{Kind: model.Done, Response: &model.Response{
			Message: model.Message{Role: model.Assistant, Blocks: []model.Block{model.TextBlock("ok")}},
			Usage:   model.Usage{Input: 95_000, Output: 10},
		}}, nil)
	}
	b := newBench(t, nil, full, say("on"))
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Compact = DefaultCompaction
		o.Plugins = []Plugin{editing{compacting: func(context.Context, CompactionRequest) CompactionDraft { return CompactionDraft{Refused: true} }}}
	})
	ended(t, turnOf(t, s, strings.Repeat("word ", 60_000), nil))
	records := turnOf(t, s, "more", nil)
	var codes []string
	for _, n := range find[event.Notice](records) {
		codes = append(codes, n.Code)
	}
	if !slices.Equal(codes, []string{NoticeCompactionInterrupted}) || ended(t, records).Reason != event.TurnCompleted {
		t.Errorf("notices %v", codes)
	}
}

// TestInterruptInCompacting ends the compaction although the editor would go on.
func TestInterruptInCompacting(t *testing.T) {
	b := newBench(t, nil, say("1"), say("2"))
	asked := make(chan struct{})
	s := b.session(t, func(o *Options, _ *event.Settings) {
		o.Plugins = []Plugin{editing{compacting: func(ctx context.Context, _ CompactionRequest) CompactionDraft {
			close(asked)
			<-ctx.Done()
			return CompactionDraft{Summary: "too late"}
		}}}
	})
	ended(t, turnOf(t, s, "one", nil))
	ended(t, turnOf(t, s, "two", nil))
	wait, err := s.Compact(context.Background(), "")
	if err != nil {
		t.Fatal(err)
	}
	<-asked
	s.Interrupt()
	if _, err := wait(); err != ErrInterrupted {
		t.Errorf("it ended with %v", err)
	}
}
