package offline

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"regexp"
	"strings"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/model"
)

// inputPiece is how many bytes of a tool call's input one delta has, about.
const inputPiece = 24

// errUnheard ends a speech whose consumer has stopped; nothing may be yielded any more.
var errUnheard = errors.New("the consumer has stopped")

// A speech is one answer while it is given.
type speech struct {
	ctx   context.Context
	req   *model.Request
	yield func(model.Delta, error) bool
	said  model.Accumulator
	block int             // the current one
	kind  model.DeltaKind // of the current block; 0: none yet
	short bool            // the current block is a summary of reasoning
}

// speak returns a Provider's answer, given by give; an error of give is yielded as the last element.
func speak(ctx context.Context, req *model.Request, give func(*speech) error) iter.Seq2[model.Delta, error] {
	return func(yield func(model.Delta, error) bool) {
		s := &speech{ctx: ctx, req: req, yield: yield, block: -1}
		err := req.Await(ctx)
		if err == nil {
			err = give(s)
		}
		if err != nil && !errors.Is(err, errUnheard) {
			yield(model.Delta{}, err)
		}
	}
}

// say adds text to the current block, or begins a block if that is of another kind.
func (s *speech) say(kind model.DeltaKind, text string) error {
	return s.piece(model.Delta{Kind: kind, Text: text})
}

// piece says d in the current block, or begins a block if that is of another kind.
func (s *speech) piece(d model.Delta) error {
	if s.kind != d.Kind || s.short != d.Summary {
		s.kind, s.short = d.Kind, d.Summary
		s.block++
	}
	d.Block = s.block
	return s.emit(d)
}

// call asks for a tool, the input in pieces.
func (s *speech) call(id, name, input string) error {
	s.kind, s.short = model.ToolCallStart, false
	s.block++
	if err := s.emit(model.Delta{Kind: model.ToolCallStart, Block: s.block, CallID: id, Name: name}); err != nil {
		return err
	}
	for input != "" {
		n := cut(input, inputPiece)
		if err := s.emit(model.Delta{Kind: model.ToolInputDelta, Block: s.block, Text: input[:n]}); err != nil {
			return err
		}
		input = input[n:]
	}
	return nil
}

// cut returns the first rune boundary of text at or after n bytes.
func cut(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n < len(text) && !utf8.RuneStart(text[n]) {
		n++
	}
	return n
}

func (s *speech) emit(d model.Delta) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	s.said.Add(d)
	if !s.yield(d, nil) {
		return errUnheard
	}
	return nil
}

// done ends the answer. A nil usage is estimated.
func (s *speech) done(stop model.Stop, usage *model.Usage) error {
	m := s.said.Message()
	if usage == nil {
		estimated := estimate(s.req, m)
		usage = &estimated
	}
	return s.emit(model.Delta{Kind: model.Done, Response: &model.Response{
		Message: m, Stop: stop, Usage: *usage, Model: s.req.Model,
	}})
}

func (s *speech) wait(d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-s.ctx.Done():
		return context.Cause(s.ctx)
	}
}

func (s *speech) hang() error {
	<-s.ctx.Done()
	return context.Cause(s.ctx)
}

// expect fails the answer if what the model was sent last does not match; where is the
// line that wants it.
func (s *speech) expect(re *regexp.Regexp, where string) error {
	heard := lastHeard(s.req)
	if re.MatchString(heard) {
		return nil
	}
	return &model.Error{
		Kind: model.Rejected, Provider: Name, Code: "unexpected_request",
		Message: fmt.Sprintf("%s: expected a message that matches %s, got %q", where, re, heard),
	}
}

// lastHeard returns the text of the last message that is not the model's own: the user's, or
// the results of the tools one per line.
func lastHeard(req *model.Request) string {
	for i := len(req.Messages) - 1; i >= 0; i-- {
		switch m := req.Messages[i]; m.Role {
		case model.User:
			return m.Text()
		case model.Tool:
			var results []string
			for _, b := range m.Blocks {
				if b.Result != nil {
					results = append(results, b.Result.Text)
				}
			}
			return strings.Join(results, "\n")
		}
	}
	return ""
}
