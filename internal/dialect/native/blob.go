package native

import (
	"context"
	"encoding/base64"
	"fmt"

	"parley.dev/parley/internal/wire/jsonrpc"
)

// putBlob stores data that later requests name by its address (session/put_blob).
func (s *session) putBlob(ctx context.Context, p *SessionPutBlobParams) (result SessionPutBlobResult, err error) {
	data, err := p.decoded()
	if err != nil {
		return result, err
	}
	address, err := s.eng.Log().PutBlob(ctx, data)
	return SessionPutBlobResult{address, len(data)}, err
}

// decoded returns the data.
func (p *SessionPutBlobParams) decoded() ([]byte, error) {
	data, err := base64.StdEncoding.DecodeString(p.Data)
	switch {
	case err != nil:
		return nil, invalidMember("data", "must be base64")
	case len(data) > ImageLimit:
		return nil, failure(CodeTooLarge, fmt.Sprintf("data has %d bytes; at most %d are stored", len(data), ImageLimit), ErrorData{Kind: "too_large", Member: "data"})
	}
	return data, nil
}

// blob reads a piece of a payload, or of an export (session/blob).
func (s *session) blob(_ context.Context, p *SessionBlobParams) (result SessionBlobResult, err error) {
	if e, ok := s.exports.find(p.Address); ok {
		return e.piece(p.Offset, p.Limit)
	}
	data, err := s.eng.Log().Blob(p.Address)
	if err != nil {
		return result, failure(jsonrpc.CodeInvalidParams, "there is no blob "+abridged(p.Address), ErrorData{Kind: "no_blob", Member: "address"})
	}
	from := min(p.Offset, len(data))
	return SessionBlobResult{data[from:min(from+p.Limit, len(data))], len(data)}, nil
}
