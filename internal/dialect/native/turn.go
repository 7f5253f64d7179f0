package native

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// prompt starts a turn, or what the session does with a prompt while one runs (turn/prompt).
func (s *session) prompt(ctx context.Context, p *TurnPromptParams) (any, error) {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return nil, err
	}
	busy := map[string]engine.SecondPrompt{"": engine.RefuseSecond, "refuse": engine.RefuseSecond, "queue": engine.QueueSecond, "steer": engine.SteerSecond}[p.IfBusy]
	as, err := s.client.Submit(ctx, engine.Prompt{
		ID: event.PromptID(p.ID), Blocks: blocks, IfBusy: &busy, Tuning: engine.Tuning{Instructions: p.Instructions, Thinking: p.Thinking},
	})
	if err != nil {
		return nil, err
	}
	return TurnPromptResult{Turn: string(as.Turn), Steered: as.Via == event.BySteer, Queued: as.Via == event.ByFollowUp}, nil
}

// steer talks into the running turn, or queues after it (turn/steer, turn/follow_up).
func (s *session) steer(ctx context.Context, method string, p *TurnSteerParams) error {
	blocks, err := s.blocks(p.Blocks)
	if err != nil {
		return err
	}
	prompt := engine.Prompt{ID: event.PromptID(p.ID), Blocks: blocks}
	if s.eng.State().Turn == "" {
		return engine.ErrIdle
	}
	if method == "turn/steer" {
		return s.client.Steer(ctx, prompt)
	}
	return s.client.FollowUp(ctx, prompt)
}

// interrupt ends what the session is busy with (turn/interrupt).
func (s *session) interrupt(turn string) TurnInterruptResult {
	st := s.eng.State()
	if !st.Busy || turn != "" && turn != string(st.Turn) {
		return TurnInterruptResult{}
	}
	s.client.Interrupt()
	return TurnInterruptResult{true}
}

// clearQueue removes what waits (queue/clear).
func (s *session) clearQueue(which string) (any, error) {
	result := QueueClearResult{[]event.Queued{}, []event.Queued{}}
	switch which {
	case "follow_ups":
		taken, err := s.eng.Queue().TakeFollowUps(nil)
		result.FollowUps = append(result.FollowUps, taken...)
		return result, err
	case "steering":
		taken, err := s.eng.Queue().TakeSteers()
		result.Steering = append(result.Steering, taken...)
		return result, err
	}
	steering, followUps, err := s.eng.Queue().Clear()
	result.Steering, result.FollowUps = append(result.Steering, steering...), append(result.FollowUps, followUps...)
	return result, err
}

// A block is a part of a prompt.
type block struct {
	Kind  string `json:"kind" enum:"text,image"`
	Text  string `json:"text,omitzero"`
	Image *image `json:"image,omitzero"`
}

// An image is in a prompt as data, or by its address.
type image struct {
	MIME string `json:"mime"`
	Data string `json:"data,omitzero"` // base64
	Blob string `json:"blob,omitzero"` // of session/put_blob
	Name string `json:"name,omitzero"`
}

// blocks reads the blocks of a prompt.
func (s *session) blocks(value jsontext.Value) ([]model.Block, error) {
	var list []block
	if err := wire.DecodeValue(value, &list, frames.Object); err != nil {
		if field, ok := errors.AsType[*wire.FieldError](err); ok {
			field.Field = wire.FieldPath("blocks", field.Field)
		}
		return nil, paramsError("", err)
	}
	var blocks []model.Block
	for i, b := range list {
		member := fmt.Sprintf("blocks[%d]", i)
		switch {
		case b.Kind == "text":
			blocks = append(blocks, model.TextBlock(b.Text))
		case b.Image == nil:
			return nil, invalidMember(member+".image", "is required")
		default:
			img, err := s.image(member, b.Image)
			if err != nil {
				return nil, err
			}
			blocks = append(blocks, model.Block{Kind: model.KindImage, Image: img})
		}
	}
	if len(blocks) == 0 {
		return nil, invalidMember("blocks", "must not be empty")
	}
	return blocks, nil
}

// imageTypes are the types of images that models take.
var imageTypes = []string{"image/png", "image/jpeg", "image/gif", "image/webp"}

// image reads an image of a prompt.
func (s *session) image(member string, i *image) (*model.Image, error) {
	if !slices.Contains(imageTypes, i.MIME) {
		return nil, invalidMember(member+".image.mime", "must be image/png, image/jpeg, image/gif or image/webp")
	}
	if i.Blob != "" {
		data, err := s.eng.Log().Blob(i.Blob)
		if err != nil {
			return nil, failure(jsonrpc.CodeInvalidParams, "there is no blob "+abridged(i.Blob), ErrorData{Kind: "no_blob", Member: member + ".image.blob"})
		}
		return &model.Image{MIME: i.MIME, Data: data, Name: i.Name}, nil
	}
	data, err := base64.StdEncoding.DecodeString(i.Data)
	if err != nil || len(data) == 0 {
		return nil, invalidMember(member+".image.data", "must be base64, and not empty")
	}
	return &model.Image{MIME: i.MIME, Data: data, Name: i.Name}, nil
}

// compact begins to summarise the history; what comes of it is a record (session/compact).
func (c *conn) compact(s *session, guidance string) error {
	wait, err := s.eng.Compact(guidance)
	if err != nil {
		return err
	}
	c.blocking.Go(func() {
		if _, err := wait(); err != nil {
			c.cfg.Log.Info("history not summarised", "session", s.eng.ID(), "error", err)
		}
	})
	return nil
}

// change changes the settings (session/change).
func (c *conn) change(s *session, p *SessionChangeParams) (any, error) {
	st := s.eng.State()
	if p.Expected != 0 && p.Expected != st.Changed {
		return nil, failure(CodeStale, "the settings were changed meanwhile", ErrorData{Kind: "stale", Changed: st.Changed})
	}
	settings := st.Settings
	if err := c.patch(&settings, p.Settings); err != nil {
		return nil, err
	}
	if err := s.client.Change(func(now *event.Settings) { *now = settings }); err != nil {
		return nil, err
	}
	return HeadResult{s.eng.State().Head}, nil
}

// patch applies a merge patch (RFC 7396) to settings, and checks what comes of it.
func (c *conn) patch(settings *event.Settings, patch jsontext.Value) error {
	if patch == nil {
		return nil
	}
	merged, err := mergePatch(value(settings), patch)
	if err != nil {
		return invalidMember("settings", "must be an object")
	}
	var next event.Settings
	if err := wire.DecodeValue(merged, &next, frames.Object); err != nil {
		if field, ok := errors.AsType[*wire.FieldError](err); ok {
			field.Field = wire.FieldPath("settings", field.Field)
		}
		return paramsError("", err)
	}
	if err := c.checkSettings(*settings, next); err != nil {
		return err
	}
	*settings = next
	return nil
}
