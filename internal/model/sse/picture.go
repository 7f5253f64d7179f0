package sse

import (
	"bytes"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"io"
	"slices"
	"strconv"

	"parley.dev/parley/internal/model"
)

// The SDKs encode each member of a request, then what it is a member of, and so on outwards: a
// picture would be copied a dozen times. A short one stands in for it: random bytes, which
// nothing else can have, and a number. The picture takes its place in what is sent.
const (
	randomSize = 15 // in bytes, 20 letters in base64
	numberSize = 9  // in digits, 12 letters
)

// standIns are the pictures of one request.
type standIns struct {
	random   []byte // what all their stand-ins begin with; nil: there are no pictures
	pictures [][]byte
}

// take is req with stand-ins in place of its pictures; req itself if there are none.
func (s *standIns) take(req *model.Request) *model.Request {
	taken := *req
	for i, m := range req.Messages {
		if !slices.ContainsFunc(m.Blocks, shown) {
			continue
		}
		if s.random == nil {
			s.random = make([]byte, randomSize)
			_, _ = rand.Read(s.random) // it never fails
			taken.Messages = slices.Clone(req.Messages)
		}
		taken.Messages[i].Blocks = s.blocks(m.Blocks)
	}
	if s.random == nil {
		return req
	}
	return &taken
}

// shown is whether there are pictures in a block.
func shown(b model.Block) bool {
	return b.Image != nil || b.Result != nil && len(b.Result.Images) > 0
}

func (s *standIns) blocks(all []model.Block) []model.Block {
	all = slices.Clone(all)
	for i, b := range all {
		if b.Image != nil {
			all[i].Image = s.image(*b.Image)
		}
		if b.Result != nil {
			result := *b.Result
			result.Images = make([]model.Image, len(b.Result.Images))
			for j, img := range b.Result.Images {
				result.Images[j] = *s.image(img)
			}
			all[i].Result = &result
		}
	}
	return all
}

func (s *standIns) image(i model.Image) *model.Image {
	if len(i.Data) > 0 {
		s.pictures = append(s.pictures, i.Data)
		i.Data = fmt.Appendf(slices.Clone(s.random), "%0*d", numberSize, len(s.pictures)-1)
	}
	return &i
}

// split is a document with the pictures where their stand-ins are.
func (s *standIns) split(document []byte) []piece {
	if s.random == nil {
		return []piece{{json: document}}
	}
	var pieces []piece
	mark := []byte(base64.StdEncoding.EncodeToString(s.random))
	for {
		before, after, found := bytes.Cut(document, mark)
		pieces = append(pieces, piece{json: before})
		if !found {
			return pieces
		}
		digits := base64.StdEncoding.EncodedLen(numberSize)
		pieces = append(pieces, piece{picture: s.numbered(after[:digits])})
		document = after[digits:]
	}
}

// numbered is the picture whose number is in base64.
func (s *standIns) numbered(digits []byte) []byte {
	number, _ := base64.StdEncoding.AppendDecode(nil, digits) // image made it
	i, _ := strconv.Atoi(string(number))
	return s.pictures[i]
}

// An encoded reads data as base64.
type encoded struct {
	data []byte
	rest []byte // of last, which did not fit
	last [4]byte
}

func encodedSize(data []byte) int64 { return int64(base64.StdEncoding.EncodedLen(len(data))) }

func (e *encoded) Read(p []byte) (int, error) {
	if len(p) == 0 {
		return 0, nil
	}
	if len(e.rest) > 0 {
		n := copy(p, e.rest)
		e.rest = e.rest[n:]
		return n, nil
	}
	if len(e.data) == 0 {
		return 0, io.EOF
	}
	take := e.data[:min(len(e.data), max(len(p)/4, 1)*3)]
	e.data = e.data[len(take):]
	if len(p) < 4 {
		base64.StdEncoding.Encode(e.last[:], take)
		e.rest = e.last[:]
		return e.Read(p)
	}
	base64.StdEncoding.Encode(p, take)
	return base64.StdEncoding.EncodedLen(len(take)), nil
}
