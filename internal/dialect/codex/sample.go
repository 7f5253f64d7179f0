package codex

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file lets the model answer clients outside of the history.

func sampleMethods() []handler {
	return []handler{
		on("thread/sample", (*conn).threadSample, func(p *ThreadSampleParams) error {
			switch {
			case p.ExpectedTurnID == "":
				return problem("expectedTurnId", "must not be empty")
			case p.Prompt == "":
				return problem("prompt", "must not be empty")
			case len(p.Prompt) > sampleMost:
				return problem("prompt", "is too long")
			}
			return nil
		}),
	}
}

// sampleMost bounds the prompt of a sample, in bytes.
const sampleMost = 64 << 10

// threadSample lets the model answer a prompt after the last turn, which must be the expected one; neither the prompt nor the
// answer becomes part of the thread, and no tool runs (thread/sample). Other requests are handled meanwhile.
func (c *conn) threadSample(ctx context.Context, id jsonrpc.ID, p *ThreadSampleParams) {
	t, err := c.loaded(ctx, p.ThreadID)
	if err == nil {
		err = c.expectTurn(ctx, t, p.ExpectedTurnID)
	}
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	c.answering.Go(func() {
		answer, err := t.client.Sample(c.life, engine.SampleRequest{Prompt: p.Prompt, Thinking: thinkingOf(p.Effort)})
		if failed, ok := errors.AsType[*model.Error](err); ok {
			err = refused("the model did not answer: " + failed.Error())
		}
		if err != nil {
			c.fail(id, t.id, err)
			return
		}
		input, cached, output := int64(answer.Usage.Context()), int64(answer.Usage.CacheRead), int64(answer.Usage.Output)
		c.reply(id, ThreadSampleResponse{
			ResponseID: c.cfg.NewID(), SourceTurnID: p.ExpectedTurnID, Text: nullString(answer.Message.Text()), InputTokens: &input, CachedInputTokens: &cached, OutputTokens: &output,
		})
	})
}

// expectTurn returns an error if the last turn of a thread is another one.
func (c *conn) expectTurn(ctx context.Context, t *thread, expected string) error {
	h, err := c.history(ctx, t.session, t.names, t.session.State().Head, outline)
	if err != nil {
		return err
	}
	if n := len(h.turns); n == 0 || h.turns[n-1].ID != expected {
		return refused("sample source turn must be the latest finished turn")
	}
	return nil
}
