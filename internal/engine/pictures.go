package engine

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/picture"
	"parley.dev/parley/internal/session"
)

// This file makes the pictures of a request what its model takes. The records, which clients read,
// keep them as they were; the history of each request is made of them anew, so that a change of the
// model, a resume and an old journal need nothing else.

// A pictureCache stores the scaled pictures of a session: each is decoded once.
type pictureCache struct {
	fitted map[pictureFitting]fittedPicture
	sent   []string // with the last request, by their addresses
}

// A pictureFitting is a picture, and what it has to fit.
type pictureFitting struct {
	address           string
	maxBytes, maxSide int
}

// A fittedPicture is a picture as requests have it.
type fittedPicture struct {
	blob string // "": the picture itself
	mime string
	note string // what stands in its place; "": nothing does
}

// fitPictures loads the pictures of messages as m takes them. Notes stand in the place of those that
// it does not take. Messages that have to change are copies.
func (s *Session) fitPictures(messages []model.Message, m Model) error {
	f := pictureFitter{s: s, m: m, side: cmp.Or(m.Pictures.MaxSide, picture.MaxSide)}
	total := 0
	for _, msg := range messages {
		for _, b := range msg.Blocks {
			total += len(imagesIn(b))
		}
	}
	s.mu.Lock()
	s.context.pictures.sent = nil
	s.mu.Unlock()
	if total == 0 {
		return nil
	}
	if m.Pictures.Many > 0 && total > m.Pictures.Many {
		f.side = m.Pictures.ManySide
	}
	if most := m.Pictures.MaxNumber; most > 0 && total > most {
		step := max(most/4, 1) // not one more with each request: its beginning is cached
		f.omit = (total - most + step - 1) / step * step
	}
	for i, msg := range messages {
		if !slices.ContainsFunc(msg.Blocks, func(b model.Block) bool { return len(imagesIn(b)) > 0 }) {
			continue
		}
		blocks := slices.Clone(msg.Blocks)
		for j, b := range blocks {
			var err error
			if blocks[j], err = f.block(b); err != nil {
				return err
			}
		}
		messages[i].Blocks = blocks
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.context.pictures.sent = f.sent
	return nil
}

// imagesIn returns the pictures of a block.
func imagesIn(b model.Block) []model.Image {
	switch {
	case b.Kind == model.KindImage && b.Image != nil:
		return []model.Image{*b.Image}
	case b.Kind == model.KindToolResult && b.Result != nil:
		return b.Result.Images
	}
	return nil
}

// A pictureFitter fits the pictures of one request.
type pictureFitter struct {
	s    *Session
	m    Model
	side int // the most pixels
	omit int // how many of the oldest are left out
	n    int // pictures so far
	sent []string
}

// block returns b with its pictures as the request has them.
func (f *pictureFitter) block(b model.Block) (model.Block, error) {
	if len(imagesIn(b)) == 0 {
		return b, nil
	}
	if b.Kind == model.KindImage {
		img, note, err := f.image(*b.Image)
		if note != "" {
			return model.TextBlock(note), err
		}
		b.Image = &img
		return b, err
	}
	result := *b.Result
	result.Images = nil
	for _, img := range b.Result.Images {
		fitted, note, err := f.image(img)
		if err != nil {
			return b, err
		}
		if note == "" {
			result.Images = append(result.Images, fitted)
			continue
		}
		if result.Text != "" {
			result.Text += "\n"
		}
		result.Text += note
	}
	b.Result = &result
	return b, nil
}

// image returns a picture with its data as the request has it, or the note in its place.
func (f *pictureFitter) image(img model.Image) (fitted model.Image, note string, err error) {
	f.n++
	f.s.mu.Lock()
	refused := f.s.fold.PictureRefused(session.ModelKey(f.m.Info), addressOf(img))
	f.s.mu.Unlock()
	switch {
	case f.m.Info.Known && !f.m.Info.Images:
		return img, omitted(img, "the model does not take images"), nil
	case refused:
		return img, omitted(img, "the provider refused it"), nil
	case f.n <= f.omit:
		return img, omitted(img, fmt.Sprintf("the provider takes at most %d in a request", f.m.Pictures.MaxNumber)), nil
	}
	address := addressOf(img)
	if img.URL == "" {
		img, note, err = f.load(img)
	}
	if note == "" && err == nil && !slices.Contains(f.sent, address) {
		f.sent = append(f.sent, address)
	}
	return img, note, err
}

// omitted returns the note in the place of a picture.
func omitted(img model.Image, why string) string {
	if img.Name != "" {
		return fmt.Sprintf("[image %s omitted: %s]", img.Name, why)
	}
	return fmt.Sprintf("[image omitted: %s]", why)
}

// load returns a picture with its data, scaled down if it is too large.
func (f *pictureFitter) load(img model.Image) (model.Image, string, error) {
	key := pictureFitting{addressOf(img), cmp.Or(f.m.Pictures.MaxBytes, picture.MaxBytes), f.side}
	f.s.mu.Lock()
	fitted, known := f.s.context.pictures.fitted[key]
	f.s.mu.Unlock()
	if known {
		if fitted.note != "" {
			return img, omitted(img, fitted.note), nil
		}
		img.MIME, img.Blob = fitted.mime, cmp.Or(fitted.blob, img.Blob)
	}
	if img.Blob != "" {
		data, err := f.s.log.Blob(img.Blob)
		if err != nil {
			return img, "", fmt.Errorf("image %s: %w", img.Blob, err)
		}
		img.Data, img.Blob = data, ""
	}
	if known {
		return img, "", nil
	}
	small, err := picture.Fit(img.Data, img.MIME, key.maxBytes, key.maxSide)
	switch {
	case err == nil:
		fitted.mime = small.MIME
		if small.Changed {
			fitted.blob = f.s.keepPicture(small.Data)
		}
		img.MIME, img.Data = small.MIME, small.Data
		if small.Changed && fitted.blob == "" {
			return img, "", nil // it could not be stored
		}
	case f.fails(img, err):
		fitted.note = err.Error()
	default:
		fitted.mime = img.MIME // the endpoint may know what it is
	}
	f.s.mu.Lock()
	if f.s.context.pictures.fitted == nil {
		f.s.context.pictures.fitted = map[pictureFitting]fittedPicture{}
	}
	f.s.context.pictures.fitted[key] = fitted
	f.s.mu.Unlock()
	if fitted.note != "" {
		return img, omitted(img, fitted.note), nil
	}
	return img, "", nil
}

// fails reports whether the endpoint is known to refuse a picture that could not be fitted.
func (f *pictureFitter) fails(img model.Image, err error) bool {
	limits := f.m.Pictures
	if errors.Is(err, picture.ErrUnreadable) {
		return limits.MaxBytes > 0 && len(img.Data) > limits.MaxBytes
	}
	return limits.MaxBytes > 0 || limits.MaxSide > 0
}

// keepPicture stores a picture that was scaled down; "" if it cannot.
func (s *Session) keepPicture(data []byte) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.log.StoreImages([]model.Image{{Data: data}})[0].Blob
}

// addressOf identifies a picture in a session.
func addressOf(img model.Image) string {
	if address := cmp.Or(img.URL, img.Blob); address != "" {
		return address
	}
	sum := sha256.Sum256(img.Data)
	return hex.EncodeToString(sum[:])
}

// pictureWords are in what endpoints say of pictures that they refuse, in lower case.
var pictureWords = []string{"image", "picture", "pixel", "vision", "multimodal", "multi-modal"}

// withoutPictures reports whether a request was refused for its pictures. Then it records that, and
// the next request to m has notes in their place.
func (t *turn) withoutPictures(m Model, failed error) bool {
	p, ok := errors.AsType[*model.Error](failed)
	if !ok || p.Kind != model.Rejected || p.Status/100 != 4 {
		return false
	}
	said := strings.ToLower(p.Message)
	if !slices.ContainsFunc(pictureWords, func(word string) bool { return strings.Contains(said, word) }) {
		return false
	}
	s := t.s
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.context.pictures.sent) == 0 {
		return false
	}
	e := event.PicturesRefused{Provider: m.Info.Provider, Model: m.Info.ID, Pictures: s.context.pictures.sent}
	s.log.Append(t.id, e, event.Notice{
		Level: event.Warning, Code: NoticePicturesRefused,
		Text: fmt.Sprintf("%s refused the images of the conversation, and is sent the request without them: %s", m.Info.Provider, p.Message),
	})
	return true
}
