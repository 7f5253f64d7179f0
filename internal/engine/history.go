package engine

import (
	"fmt"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// neverRan is what the model is told of a call that was not taken up: an interrupt, a
// steer or the step limit came first. Texts.Skipped is in its place where it is set.
const neverRan = "not run: the turn moved on before this call"

// messages is the history as a request has it: every call is followed by exactly one
// result, whatever became of it, and results keep the model's order. Calls without one are
// told skipped.
func (f *fold) messages(skipped string) []model.Message {
	messages := make([]model.Message, 0, 2*len(f.entries))
	for _, e := range f.entries {
		messages = append(messages, e.msg)
		calls := e.msg.Calls()
		if len(calls) == 0 {
			continue
		}
		results := model.Message{Role: model.Tool}
		for _, call := range calls {
			r, ok := f.results[event.CallID(call.ID)]
			if !ok {
				r = model.Result{CallID: call.ID, Text: skipped, IsError: true}
			}
			results.Blocks = append(results.Blocks, model.Block{Kind: model.KindToolResult, Result: &r})
		}
		messages = append(messages, results)
	}
	return messages
}

// loadImages is messages with the data of their images. Those it has to change are copies.
func loadImages(messages []model.Message, blob func(string) ([]byte, error)) error {
	for i, m := range messages {
		var blocks []model.Block
		for j, b := range m.Blocks {
			changed, err := loadBlock(b, blob)
			if err != nil {
				return err
			}
			if changed == nil {
				continue
			}
			if blocks == nil {
				blocks = append(blocks, m.Blocks...)
			}
			blocks[j] = *changed
		}
		if blocks != nil {
			messages[i].Blocks = blocks
		}
	}
	return nil
}

// loadBlock is b with its images' data, or nil if there was nothing to load.
func loadBlock(b model.Block, blob func(string) ([]byte, error)) (*model.Block, error) {
	switch {
	case b.Kind == model.KindImage && b.Image.Blob != "":
		img, err := loadImage(*b.Image, blob)
		b.Image = &img
		return &b, err
	case b.Kind == model.KindToolResult && len(b.Result.Images) > 0:
		r := *b.Result
		r.Images = append([]model.Image(nil), r.Images...)
		for i, img := range r.Images {
			loaded, err := loadImage(img, blob)
			if err != nil {
				return nil, err
			}
			r.Images[i] = loaded
		}
		b.Result = &r
		return &b, nil
	}
	return nil, nil
}

func loadImage(img model.Image, blob func(string) ([]byte, error)) (model.Image, error) {
	if img.Blob == "" {
		return img, nil
	}
	data, err := blob(img.Blob)
	if err != nil {
		return img, fmt.Errorf("image %s: %w", img.Blob, err)
	}
	img.Data, img.Blob = data, ""
	return img, nil
}
