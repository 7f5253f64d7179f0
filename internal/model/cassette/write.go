package cassette

import (
	"errors"
	"fmt"
	"os"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
)

// EntryOf returns the entry of an answer that is known as a whole, for a place in a conversation that is known by the number of answers
// before it only. Prompt is the last text of the user.
func EntryOf(name string, answers int, prompt string, blocks []model.Block, end End) Entry {
	e := Entry{Version: version, Model: name, Answers: answers, Prompt: beginning(prompt), Pieces: []Piece{}, End: &end}
	for i, b := range blocks {
		switch b.Kind {
		case model.KindText:
			e.Pieces = append(e.Pieces, Piece{Kind: kinds[model.TextDelta], Block: i, Text: b.Text})
		case model.KindThinking:
			e.Pieces = append(e.Pieces, Piece{Kind: kinds[model.ThinkingDelta], Block: i, Text: b.Text, Signature: b.Signature, Summary: b.Summary})
		case model.KindToolCall:
			e.Pieces = append(e.Pieces,
				Piece{Kind: kinds[model.ToolCallStart], Block: i, CallID: b.Call.ID, Name: b.Call.Name},
				Piece{Kind: kinds[model.ToolInputDelta], Block: i, Text: string(b.Call.Input)})
		}
	}
	return e
}

// Write writes a recording to a new file, which only its user can read.
func Write(path string, entries []Entry) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("recording: %w", err)
	}
	for _, e := range entries {
		line, err := json.Marshal(e)
		if err == nil {
			_, err = f.Write(append(line, '\n'))
		}
		if err != nil {
			return errors.Join(fmt.Errorf("recording %s: %w", path, err), f.Close())
		}
	}
	return f.Close()
}
