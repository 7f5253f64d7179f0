package codex

import (
	"context"
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/appserver"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file adds messages to the history outside of turns.

func injectMethods() []handler {
	return []handler{on("thread/inject_items", (*conn).injectItems)}
}

// injectItems adds items of the Responses API to the history, all or none (thread/inject_items). Clients are not shown them.
func (c *conn) injectItems(ctx context.Context, id jsonrpc.ID, p *ThreadInjectItemsParams) {
	messages := make([]model.Message, len(p.Items))
	for i, item := range p.Items {
		var err error
		if messages[i], err = injected(item); err != nil {
			c.fail(id, "", paramsError(appserver.Below(fmt.Sprintf("items[%d]", i), err)))
			return
		}
	}
	t, err := c.loaded(ctx, p.ThreadID)
	if err != nil {
		c.fail(id, p.ThreadID, err)
		return
	}
	t.pump.Around(func() [][]byte {
		if err := t.client.AddHistory(messages); err != nil {
			return [][]byte{c.failLine(id, t.id, err)}
		}
		return [][]byte{resultLine(id, ThreadInjectItemsResponse{})}
	})
}

// A responseItem is an item of the Responses API, as far as it is a message.
type responseItem struct {
	Type    string         `json:"type,omitzero"`
	Role    string         `json:"role,omitzero"`
	Content jsontext.Value `json:"content,omitzero"`
}

// A responseContent is a part of a message.
type responseContent struct {
	Type     string `json:"type"`
	Text     string `json:"text,omitzero"`
	ImageURL string `json:"image_url,omitzero"`
}

// injected returns an item as a message of the history.
func injected(value jsontext.Value) (m model.Message, err error) {
	var item responseItem
	if err := wire.DecodeValue(value, &item, frames.Object); err != nil {
		return m, err
	}
	if item.Type != "message" && (item.Type != "" || item.Role == "") {
		return m, problem("type", "must be message, not "+strconv.Quote(abridged(item.Type)))
	}
	switch item.Role {
	case "user", "developer", "system":
		m.Role = model.User
	case "assistant":
		m.Role = model.Assistant
	default:
		return m, problem("role", "must be user, assistant, developer or system, not "+strconv.Quote(abridged(item.Role)))
	}
	if item.Content.Kind() == jsontext.KindString {
		var text string
		if err := wire.DecodeValue(item.Content, &text, frames.Object); err != nil {
			return m, err
		}
		m.Blocks = []model.Block{model.TextBlock(text)}
		return m, nil
	}
	var parts []responseContent
	if err := wire.DecodeValue(item.Content, &parts, frames.Object); err != nil {
		return m, appserver.Below("content", err)
	}
	for i, part := range parts {
		block, err := injectedPart(m.Role, part)
		if err != nil {
			return m, appserver.Below(fmt.Sprintf("content[%d]", i), err)
		}
		m.Blocks = append(m.Blocks, block)
	}
	if len(m.Blocks) == 0 {
		return m, problem("content", "must not be empty")
	}
	return m, nil
}

func injectedPart(role model.Role, part responseContent) (model.Block, error) {
	switch {
	case part.Type == "input_text" || part.Type == "output_text" || part.Type == "text":
		return model.TextBlock(part.Text), nil
	case part.Type == "input_image" && role == model.User:
		image, ok := model.Image{}, appserver.IsImageURL(part.ImageURL)
		if ok {
			image, ok = appserver.ImageOf(part.ImageURL)
		}
		if !ok {
			return model.Block{}, problem("image_url", "must be an https URL, or a data URL with a png, jpeg, gif or webp image of at most 20 MiB")
		}
		return model.ImageBlock(image), nil
	}
	return model.Block{}, problem("type", "must be input_text, output_text or, of a user, input_image, not "+strconv.Quote(abridged(part.Type)))
}
