package loaf

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/model"
	"parley.dev/parley/internal/regular"
)

// imageLimit is how large an image may be, in bytes, decoded.
const imageLimit = 20 << 20

// imageTypes is the types of images by the file names that have them, in the order in which
// an error lists them.
var imageTypes = []struct{ extension, mime string }{
	{".png", "image/png"},
	{".jpg", "image/jpeg"},
	{".jpeg", "image/jpeg"},
	{".webp", "image/webp"},
	{".gif", "image/gif"},
}

// An image is one that was found and fits.
type image struct {
	Image
	data []byte // decoded
}

// imageFinder makes images of what clients send. The last two are the file system.
type imageFinder struct {
	cwd, home string    // what relative paths and ~/ are below; absolute
	now       time.Time // names the images that have no path

	stat func(path string) (fs.FileInfo, error)
	open func(path string) (io.ReadCloser, error)
}

// diskImages finds images on the disk of this machine.
func diskImages(cwd, home string, now time.Time) imageFinder {
	open := func(path string) (io.ReadCloser, error) { return regular.Open(path) }
	return imageFinder{cwd, home, now, os.Stat, open}
}

// resolveAll returns the images of a prompt. The error is about the first that is none, worded for
// the client.
func (f imageFinder) resolveAll(inputs []ImageInput) ([]image, error) {
	images := make([]image, len(inputs))
	for i, in := range inputs {
		var err error
		if images[i], err = f.resolve(in); err != nil {
			return nil, err
		}
	}
	return images, nil
}

// resolve returns the image that an entry stands for. Its content is not looked at.
func (f imageFinder) resolve(in ImageInput) (image, error) {
	if in.DataURL != "" {
		return f.fromURL(in)
	}
	return f.fromFile(in.Path)
}

// withoutData returns images as a client sent them, but for their data URLs.
func withoutData(inputs []ImageInput) []ImageInput {
	inputs = slices.Clone(inputs)
	for i := range inputs {
		inputs[i].DataURL = ""
	}
	return inputs
}

func (f imageFinder) fromFile(name string) (image, error) {
	path := f.absolute(name)
	info, err := f.stat(path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return image{}, fmt.Errorf("unable to stat file: %s", path)
	case err != nil:
		return image{}, fmt.Errorf("file not found: %s", path)
	case !info.Mode().IsRegular(): // a pipe would be waited for
		return image{}, fmt.Errorf("not a file: %s", path)
	case info.Size() > imageLimit:
		return image{}, tooLarge(info.Size())
	}
	mime, err := mimeOfFile(path)
	if err != nil {
		return image{}, err
	}
	data, err := f.read(path)
	if err != nil {
		return image{}, fmt.Errorf("unable to read image file: %s", path)
	}
	if len(data) > imageLimit { // it has grown
		return image{}, tooLarge(int64(len(data)))
	}
	encoded := model.Image{MIME: mime, Data: data}.DataURL()
	return image{Image{path, mime, encoded, len(data)}, data}, nil
}

// read reads no more of a file than shows that it is too large.
func (f imageFinder) read(path string) ([]byte, error) {
	file, err := f.open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, imageLimit+1))
}

// absolute returns the file that a path stands for: quoted, as a file URL, below ~/ or cwd.
func (f imageFinder) absolute(path string) string {
	path = strings.TrimFunc(path, isBlank)
	for _, quote := range []string{`"`, `'`} {
		if len(path) > 1 && strings.HasPrefix(path, quote) && strings.HasSuffix(path, quote) {
			path = strings.TrimFunc(path[1:len(path)-1], isBlank)
			break
		}
	}
	if rest, isURL := strings.CutPrefix(path, "file://"); isURL {
		path = rest
		if decoded, err := url.PathUnescape(rest); err == nil && utf8.ValidString(decoded) {
			path = decoded
		}
	}
	if rest, below := strings.CutPrefix(path, "~/"); below {
		return filepath.Join(f.home, rest)
	}
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(f.cwd, path)
}

func mimeOfFile(path string) (string, error) {
	extension := strings.ToLower(filepath.Ext(path))
	supported := make([]string, len(imageTypes))
	for i, t := range imageTypes {
		if t.extension == extension {
			return t.mime, nil
		}
		supported[i] = t.extension
	}
	if extension == "" {
		extension = "(no extension)"
	}
	return "", fmt.Errorf("unsupported image type: %s. supported: %s", abridged(extension), strings.Join(supported, ", "))
}

var (
	errDataURL     = errors.New("invalid image data_url. expected data:<mime>;base64,<payload>")
	errDataPayload = errors.New("invalid image data_url payload")
	errEmptyImage  = errors.New("image payload is empty")
)

func (f imageFinder) fromURL(in ImageInput) (image, error) {
	mime, payload, ok := cutDataURL(in.DataURL)
	if !ok {
		return image{}, errDataURL
	}
	if in.MimeType != "" {
		mime = in.MimeType
	}
	mime = strings.ToLower(strings.TrimFunc(mime, isBlank))
	if mime == "" {
		return image{}, errDataPayload
	}
	if !slices.ContainsFunc(imageTypes, func(t struct{ extension, mime string }) bool { return t.mime == mime }) {
		return image{}, fmt.Errorf("unsupported image mime type: %s", abridged(mime))
	}
	size := decodedSize(payload)
	switch {
	case size == 0:
		return image{}, errEmptyImage
	case size > imageLimit:
		return image{}, tooLarge(int64(size))
	}
	path := in.Path
	if path == "" {
		path = fmt.Sprintf("rpc-image-%d.png", f.now.UnixMilli())
	}
	return image{Image{path, mime, in.DataURL, size}, lenientBase64(payload)}, nil
}

// cutDataURL takes data:MIME;base64,PAYLOAD apart. Neither may be empty, and there may be no
// other parameters.
func cutDataURL(text string) (mime, payload string, ok bool) {
	const scheme, encoding = "data:", ";base64,"
	end := strings.IndexAny(text, ";,")
	if end <= len(scheme) || !strings.EqualFold(text[:len(scheme)], scheme) {
		return "", "", false
	}
	start := end + len(encoding)
	if start >= len(text) || !strings.EqualFold(text[end:start], encoding) {
		return "", "", false
	}
	return text[len(scheme):end], text[start:], true
}

// decodedSize returns how many bytes lenientBase64 makes of a text, without making them.
func decodedSize(text string) int {
	digits := 0
	for i := range len(text) {
		if base64Digit(text[i]) != 0 {
			digits++
		}
	}
	return digits * 3 / 4
}

// lenientBase64 decodes either alphabet, with or without padding, and skips what belongs to
// neither.
func lenientBase64(text string) []byte {
	digits := make([]byte, 0, len(text))
	for i := range len(text) {
		if digit := base64Digit(text[i]); digit != 0 {
			digits = append(digits, digit)
		}
	}
	data := make([]byte, base64.RawStdEncoding.DecodedLen(len(digits)))
	n, _ := base64.RawStdEncoding.Decode(data, digits) // fails at most for a last digit that makes no byte
	return data[:n]
}

// base64Digit returns c in the standard alphabet, or 0 if it is no digit.
func base64Digit(c byte) byte {
	switch {
	case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'z', c >= '0' && c <= '9', c == '+', c == '/':
		return c
	case c == '-':
		return '+'
	case c == '_':
		return '/'
	}
	return 0
}

func tooLarge(size int64) error {
	return fmt.Errorf("image too large (%s). max is %s", byteSize(size), byteSize(imageLimit))
}

// byteSize returns a number of bytes for users: 17 b, 1.50 kb, 12.3 mb.
func byteSize(n int64) string {
	const unit = 1024
	if n < unit {
		return fmt.Sprintf("%d b", max(n, 0))
	}
	size, name := float64(n)/unit, "kb"
	if size >= unit {
		size, name = size/unit, "mb"
	}
	digits, scale := 0, 1.0
	switch {
	case size < 10:
		digits, scale = 2, 100
	case size < 100:
		digits, scale = 1, 10
	}
	return strconv.FormatFloat(math.Floor(size*scale+0.5)/scale, 'f', digits, 64) + " " + name
}

var imageLabel = lazy.Regexp{Expr: `(?i)\[image [0-9]+\]`}

// labelled returns a prompt that names each of its images as [Image n]: labels that the text does
// not have follow it.
func labelled(text string, images int) string {
	has := map[string]bool{}
	for _, label := range imageLabel.Get().FindAllString(text, -1) {
		has[strings.ToLower(label)] = true
	}
	var labels []string
	if text = strings.TrimFunc(text, isBlank); text != "" {
		labels = append(labels, text)
	}
	for n := 1; n <= images; n++ {
		if !has[fmt.Sprintf("[image %d]", n)] {
			labels = append(labels, fmt.Sprintf("[Image %d]", n))
		}
	}
	return strings.Join(labels, " ")
}
