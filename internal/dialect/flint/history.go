package flint

import (
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// This file makes the history of a thread: its turns, as they were streamed.

// history returns every turn of the records, the oldest first, a running one last.
func (v *view) history(records iter.Seq2[event.Record, error]) ([]Turn, error) {
	turns := []Turn{}
	for rec, err := range records {
		if err != nil {
			return nil, err
		}
		for _, message := range v.render(rec) {
			if n, ok := message.(notice); ok {
				if done, ok := n.params.(TurnCompletedNotification); ok {
					turns = append(turns, done.Turn)
				}
			}
		}
	}
	if v.turn != nil {
		turns = append(turns, Turn{ID: v.turn.id, Status: TurnInProgress, Items: v.items()})
	}
	return turns, nil
}

// upTo returns the records up to head.
func upTo(head uint64, records iter.Seq2[event.Record, error]) iter.Seq2[event.Record, error] {
	return func(yield func(event.Record, error) bool) {
		for rec, err := range records {
			if rec.Seq > head || !yield(rec, err) {
				return
			}
		}
	}
}

// inputs returns a prompt as it was sent. What is kept of it leaves the data of images out; a
// session of another protocol has only what models read.
func (v *view) inputs(e event.UserMessage) UserInputs {
	sent := UserInputs{}
	var kept []jsontext.Value
	if e.Sent != nil {
		_ = json.Unmarshal(e.Sent, &kept) // another protocol's words are not read
	}
	for i, block := range e.Blocks {
		if len(kept) == len(e.Blocks) {
			if input, ok := v.restored(kept[i], block); ok {
				sent = append(sent, input)
				continue
			}
		}
		switch {
		case block.Image != nil:
			sent = append(sent, ImageInput{Type: "image", URL: v.imageURL(block)})
		default:
			sent = append(sent, TextInput{Type: "text", Text: block.Text})
		}
	}
	return sent
}

// imageURL returns the address of an image, its data if it has no other.
func (v *view) imageURL(block model.Block) string {
	if block.Image.URL != "" {
		return block.Image.URL
	}
	shown := *block.Image
	if shown.Data == nil {
		shown.Data, _ = v.blob(shown.Blob) // an image that is gone is shown as an empty one
	}
	return shown.DataURL()
}
