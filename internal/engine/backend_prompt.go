package engine

import (
	"strings"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// promptOf returns prompts as one of an agent: what belongs to the turn only, then what the users wrote, each with its notes.
func (s *Session) promptOf(queued ...event.Queued) (backend.Prompt, error) {
	p := backend.Prompt{ID: string(queued[0].ID)}
	var said []model.Block
	for _, q := range queued {
		if text := strings.TrimSpace(q.Instructions); text != "" {
			p.Blocks = append(p.Blocks, model.TextBlock("<instructions>\n"+text+"\n</instructions>"))
		}
		said = append(said, q.Blocks...)
		for _, n := range q.Notes {
			said = append(said, n.Blocks...)
		}
	}
	for _, b := range said {
		if b.Kind == model.KindImage && b.Image != nil && len(b.Image.Data) == 0 && b.Image.Blob != "" {
			data, err := s.log.Blob(b.Image.Blob)
			if err != nil {
				return p, err
			}
			img := *b.Image
			img.Data = data
			b.Image = &img
		}
		p.Blocks = append(p.Blocks, b)
	}
	return p, nil
}

func hasImages(blocks []model.Block) bool {
	for _, b := range blocks {
		if b.Kind == model.KindImage {
			return true
		}
	}
	return false
}
