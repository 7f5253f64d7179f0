package session

import (
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file leaves out of the history what a provider refused: texts by its moderation, and images. The
// records, which clients read, have them.

// A TextRef names a text of the history: a message, or the result of a call.
type TextRef struct {
	Message uint64       // its record; 0: it is a result
	Result  event.CallID // "": it is a message
}

// A modelText is a text that a model refused.
type modelText struct {
	model string // see ModelKey
	TextRef
}

// ModelKey identifies the model of info among those of all providers.
func ModelKey(info model.Info) string { return info.Provider + "/" + info.ID }

// The notes in place of refused texts.
const (
	PromptRefused = "[a message was omitted here: the provider refused it]"
	AnswerRefused = "[an answer was omitted here: the provider refused it]"
	ResultRefused = "[the result was omitted: the provider refused it]"
)

func (f *Fold) refuseText(e event.TextRefused) {
	key := ModelKey(model.Info{Provider: e.Provider, ID: e.Model})
	for _, seq := range e.Messages {
		f.refusedTexts[modelText{key, TextRef{Message: seq}}] = true
	}
	for _, call := range e.Results {
		f.refusedTexts[modelText{key, TextRef{Result: call}}] = true
	}
	f.Refusals[key]++
}

// accepted notes that a model has answered all that is before the record seq.
func (f *Fold) accepted(seq uint64, e event.AssistantMessage) {
	if e.Stop == model.StopRefused {
		return
	}
	key := ModelKey(model.Info{Provider: e.Provider, ID: e.Model})
	f.answered[key], f.Refusals[key] = seq, 0
}

// WithoutRefused returns all, the messages of the history, with notes in place of the texts that the model
// of key refused, and of those in trial.
func (f *Fold) WithoutRefused(all []model.Message, key string, trial []TextRef) []model.Message {
	if len(f.refusedTexts) == 0 && len(trial) == 0 {
		return all
	}
	omits := func(t TextRef) bool { return f.refusedTexts[modelText{key, t}] || slices.Contains(trial, t) }
	out := slices.Clone(all)
	next := 0
	for i, m := range out {
		if m.Role != model.Tool {
			if omits(TextRef{Message: f.Entries[next].Seq}) {
				out[i].Blocks = refusedBlocks(m)
			}
			next++
			continue
		}
		blocks := slices.Clone(m.Blocks)
		for j, b := range blocks {
			if omits(TextRef{Result: event.CallID(b.Result.CallID)}) {
				blocks[j].Result = &model.Result{CallID: b.Result.CallID, Text: ResultRefused, IsError: b.Result.IsError}
			}
		}
		out[i].Blocks = blocks
	}
	return out
}

// refusedBlocks returns what stands for a refused message: a note, and the calls of an answer, which have
// results, without their inputs.
func refusedBlocks(m model.Message) []model.Block {
	if m.Role == model.User {
		return []model.Block{model.TextBlock(PromptRefused)}
	}
	blocks := []model.Block{model.TextBlock(AnswerRefused)}
	for _, call := range m.Calls() {
		call.Input = []byte("{}")
		blocks = append(blocks, model.Block{Kind: model.KindToolCall, Call: &call})
	}
	return blocks
}

// maxDescribed is how many refused texts a notice names.
const maxDescribed = 3

// DescribeRefused names what e refuses, for the user.
func (f *Fold) DescribeRefused(e event.TextRefused) string {
	var parts []string
	for _, entry := range f.Entries {
		switch {
		case !slices.Contains(e.Messages, entry.Seq):
		case entry.Prompt:
			parts = append(parts, fmt.Sprintf("the prompt %q", shortArgument(PromptText(entry.Message))))
		case entry.Message.Role == model.Assistant:
			parts = append(parts, "an answer")
		default:
			parts = append(parts, "a message")
		}
		for _, call := range entry.Message.Calls() {
			if slices.Contains(e.Results, event.CallID(call.ID)) {
				parts = append(parts, fmt.Sprintf("the result of %s%s", call.Name, argument(call.Input)))
			}
		}
	}
	if len(parts) > maxDescribed {
		return fmt.Sprintf("%d messages and results of the conversation", len(parts))
	}
	return strings.Join(parts, " and ")
}

// Unrefused returns those of texts that the model of key is still sent.
func (f *Fold) Unrefused(key string, texts []TextRef) []TextRef {
	return slices.DeleteFunc(texts, func(t TextRef) bool { return f.refusedTexts[modelText{key, t}] })
}

// lastEntry returns the index of the last answer; -1: there is none.
func (f *Fold) lastEntry() int {
	n := len(f.Entries) - 1
	for n >= 0 && f.Entries[n].Message.Role != model.Assistant {
		n--
	}
	return n
}

// LastResults returns the results of the last answer's calls.
func (f *Fold) LastResults() (texts []TextRef) {
	if n := f.lastEntry(); n >= 0 {
		for _, call := range f.Entries[n].Message.Calls() {
			texts = append(texts, TextRef{Result: event.CallID(call.ID)})
		}
	}
	return texts
}

// LastTexts returns the results of the last answer's calls, and the messages after them.
func (f *Fold) LastTexts() []TextRef {
	texts := f.LastResults()
	for _, e := range f.Entries[f.lastEntry()+1:] {
		if e.Note == nil || e.Note.Topic != event.NotePermissions {
			texts = append(texts, TextRef{Message: e.Seq})
		}
	}
	return texts
}

// EarlierTexts returns the messages up to the last answer, and the results of their calls, that the model of
// key has not answered; all of them, if it refused more than one request since its last answer.
func (f *Fold) EarlierTexts(key string) (texts []TextRef) {
	for _, e := range f.Entries[:f.lastEntry()+1] {
		if e.Seq < f.answered[key] && f.Refusals[key] < 2 {
			continue
		}
		texts = append(texts, TextRef{Message: e.Seq})
		for _, call := range e.Message.Calls() {
			texts = append(texts, TextRef{Result: event.CallID(call.ID)})
		}
	}
	return texts
}

// A modelPicture is a picture, by its address, that a model refused.
type modelPicture struct{ model, address string }

func (f *Fold) refusePictures(e event.PicturesRefused) {
	key := ModelKey(model.Info{Provider: e.Provider, ID: e.Model})
	for _, address := range e.Pictures {
		f.refusedImage[modelPicture{key, address}] = true
	}
}

// PictureRefused reports whether the model of key refused the picture of that address.
func (f *Fold) PictureRefused(key, address string) bool {
	return f.refusedImage[modelPicture{key, address}]
}

// TextRefused reports whether the model of key refused text.
func (f *Fold) TextRefused(key string, text TextRef) bool {
	return f.refusedTexts[modelText{key, text}]
}
