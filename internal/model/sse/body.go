package sse

import (
	"bytes"
	"io"
	"sync"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A body is the body of a request: JSON in pieces, with pictures between them.
type body struct {
	pieces []piece
	size   int64 // in bytes, as it is sent
}

// A piece of a body is JSON as it is sent, or a picture that is sent in base64.
type piece struct {
	json    []byte
	picture []byte
}

// A mark is where the data of a picture belongs in a document.
type mark struct {
	offset int64
	data   []byte
}

// requestOptions encode text that is not UTF-8 with replacement characters, and JSON that comes from
// elsewhere with the order and the spelling of its members, since these guide the model.
var requestOptions = json.JoinOptions(Lenient, jsontext.PreserveRawStrings(true), json.Deterministic(true))

// scratches are the buffers in which documents are encoded. The pool of the json package drops a large buffer after a few small uses.
var scratches = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// encode returns the body of a request with these parameters.
func encode(params any) (*body, error) {
	var marks []mark
	pictures := json.WithMarshalers(json.MarshalToFunc(func(e *jsontext.Encoder, p Picture) error {
		if err := e.WriteToken(jsontext.String(p.Prefix)); err != nil {
			return err
		}
		marks = append(marks, mark{e.OutputOffset() - int64(len(`"`)), p.Data})
		return nil
	}))
	scratch := scratches.Get().(*bytes.Buffer)
	defer scratches.Put(scratch)
	scratch.Reset()
	if err := json.MarshalWrite(scratch, params, requestOptions, pictures); err != nil {
		return nil, err
	}
	document := bytes.Clone(scratch.Bytes())
	b := &body{}
	start := int64(0)
	for _, m := range marks {
		b.add(piece{json: document[start:m.offset]})
		b.add(piece{picture: m.data})
		start = m.offset
	}
	b.add(piece{json: document[start:]})
	return b, nil
}

func (b *body) add(p piece) {
	b.pieces = append(b.pieces, p)
	b.size += int64(len(p.json)) + encodedSize(p.picture)
}

// reader returns a reader of the body. One without pictures is a *bytes.Reader: net/http then does not send the header by itself.
func (b *body) reader() io.Reader {
	if len(b.pieces) == 1 {
		return bytes.NewReader(b.pieces[0].json)
	}
	all := make([]io.Reader, len(b.pieces))
	for i, p := range b.pieces {
		all[i] = bytes.NewReader(p.json)
		if p.picture != nil {
			all[i] = &encoded{data: p.picture}
		}
	}
	return filling{io.MultiReader(all...)}
}

// A filling reads as much as there is room for: a small piece is not sent alone.
type filling struct{ from io.Reader }

func (f filling) Read(p []byte) (int, error) {
	n, err := io.ReadFull(f.from, p)
	if err == io.ErrUnexpectedEOF {
		err = io.EOF
	}
	return n, err
}
