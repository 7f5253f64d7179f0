package cassette

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/wire"
)

// version is that of the format.
const version = 1

// maxLine bounds a line of a recording, in bytes.
const maxLine = 256 << 20

// An Entry is one answer of a recording, and a line of its file.
type Entry struct {
	Version  int     `json:"v"`
	Model    string  `json:"model"`    // provider/id
	Position string  `json:"position"` // where in a conversation: see positionOf
	Answers  int     `json:"answers"`  // in the conversation before this one
	Prompt   string  `json:"prompt"`   // the beginning of the last text of the user, for readers of the file
	Pieces   []Piece `json:"pieces"`
	End      *End    `json:"end,omitzero"`   // of an answer that is whole
	Error    *Error  `json:"error,omitzero"` // of one that failed; without End and Error it was interrupted
}

// A Piece is a model.Delta.
type Piece struct {
	Kind      string       `json:"kind"` // text, thinking, call, input, usage or notice
	Block     int          `json:"block,omitzero"`
	Text      string       `json:"text,omitzero"`
	Signature string       `json:"signature,omitzero"`
	Summary   bool         `json:"summary,omitzero"`
	CallID    string       `json:"call_id,omitzero"`
	Name      string       `json:"name,omitzero"`
	Usage     *model.Usage `json:"usage,omitzero"`
}

// An End is a model.Response without its message, which the pieces are.
type End struct {
	Stop      model.Stop  `json:"stop"`
	Usage     model.Usage `json:"usage"`
	Cost      float64     `json:"cost,omitzero"` // US dollars
	Model     string      `json:"model,omitzero"`
	Moderated bool        `json:"moderated,omitzero"`
}

// An Error is a model.Error.
type Error struct {
	Kind       model.ErrorKind `json:"kind"`
	Status     int             `json:"status,omitzero"` // HTTP
	Code       string          `json:"code,omitzero"`
	Message    string          `json:"message"`
	Window     int             `json:"window,omitzero"`     // tokens
	MaxTokens  int             `json:"max_tokens,omitzero"` // tokens
	RetryAfter int64           `json:"retry_after_ms,omitzero"`
	Final      bool            `json:"final,omitzero"`
	Moderated  bool            `json:"moderated,omitzero"`
}

var kinds = map[model.DeltaKind]string{
	model.TextDelta: "text", model.ThinkingDelta: "thinking", model.ToolCallStart: "call", model.ToolInputDelta: "input",
	model.UsageDelta: "usage", model.NoticeDelta: "notice",
}

var kindsByName = func() map[string]model.DeltaKind {
	byName := map[string]model.DeltaKind{}
	for kind, name := range kinds {
		byName[name] = kind
	}
	return byName
}()

func pieceOf(d model.Delta) Piece {
	return Piece{kinds[d.Kind], d.Block, d.Text, d.Signature, d.Summary, d.CallID, d.Name, d.Usage}
}

func (p Piece) delta() model.Delta {
	return model.Delta{
		Kind: kindsByName[p.Kind], Block: p.Block, Text: p.Text, Signature: p.Signature, Summary: p.Summary, CallID: p.CallID, Name: p.Name, Usage: p.Usage,
	}
}

// positionOf returns a hash of the place of a request in its conversation, the number of answers before it, and the last text of the user.
// Results of tools, the system prompt and the model do not count.
func positionOf(req *model.Request) (position string, answers int, prompt string) {
	hash := sha256.New()
	for _, m := range req.Messages {
		switch m.Role {
		case model.Assistant:
			answers++
		case model.User:
			if text := m.Text(); text != "" {
				prompt = text
				fmt.Fprintf(hash, "%d %d %s", answers, len(text), text)
			}
		}
	}
	fmt.Fprintf(hash, "%d", answers)
	return hex.EncodeToString(hash.Sum(nil)[:8]), answers, prompt
}

// Load reads a recording, without lines that were cut when a program was killed or a disk was full. An error has the path, and the
// number of the answer that is wrong.
func Load(path string) ([]Entry, error) {
	f, err := regular.Open(path)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	defer f.Close()
	var entries []Entry
	lines := wire.NewReader(f, maxLine)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, io.EOF) && len(entries) == 0:
			return nil, fmt.Errorf("recording %s: it has no answer", path)
		case errors.Is(err, io.EOF):
			return entries, nil
		case err != nil:
			return nil, fmt.Errorf("recording %s: %w", path, err)
		}
		e, err := parse(line)
		if errors.Is(err, io.ErrUnexpectedEOF) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("recording %s: answer %d: %w", path, len(entries)+1, err)
		}
		entries = append(entries, e)
	}
}

// parse reads a line.
func parse(line []byte) (Entry, error) {
	var e Entry
	if err := json.Unmarshal(line, &e); err != nil {
		return e, err
	}
	switch {
	case e.Version == 0:
		return e, errors.New("it is no recorded answer")
	case e.Version > version:
		return e, fmt.Errorf("a newer program has written it: version %d, this one reads up to %d", e.Version, version)
	case e.Error != nil && e.Error.Kind == "":
		return e, errors.New("the error has no kind")
	}
	for _, p := range e.Pieces {
		if kindsByName[p.Kind] == 0 {
			return e, fmt.Errorf("unknown piece %q", p.Kind)
		}
	}
	return e, nil
}
