package loaf

import (
	"bytes"
	"encoding/base64"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"parley.dev/parley/internal/racetest"
)

// pictures finds images in a file system of the test, rooted at /.
func pictures(files fstest.MapFS) imageFinder {
	return imageFinder{
		cwd: "/srv/bread", home: "/home/baker", now: time.UnixMilli(1772359200000),
		stat: func(path string) (fs.FileInfo, error) {
			if strings.Contains(path, "locked") {
				return nil, &fs.PathError{Op: "stat", Path: path, Err: fs.ErrPermission}
			}
			return files.Stat(strings.TrimPrefix(path, "/"))
		},
		open: func(path string) (io.ReadCloser, error) {
			if strings.Contains(path, "unreadable") {
				return nil, errors.New("no")
			}
			return files.Open(strings.TrimPrefix(path, "/"))
		},
	}
}

func pictureFile(content string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(content)} }

func TestImageFiles(t *testing.T) {
	finder := pictures(fstest.MapFS{
		"srv/bread/crumb.png":    pictureFile("hello"),
		"srv/bread/sub/a b.jpg":  pictureFile("jpg"),
		"home/baker/oven.WEBP":   pictureFile("webp"),
		"pics/x.jpeg":            pictureFile("jpeg"),
		"pics/50%.gif":           pictureFile("gif"),
		"pics/ä.png":             pictureFile(""),
		"pics/~/tilde.png":       pictureFile("t"),
		"srv/bread/~.png":        pictureFile("~"),
		"srv/bread/~baker/x.gif": pictureFile("b"),
		"srv/bread/o.gif":        pictureFile("o"),
		`srv/bread/'.png`:        pictureFile("quote"),
	})
	for _, test := range []struct{ path, want, mime, content string }{
		{"crumb.png", "/srv/bread/crumb.png", "image/png", "hello"},
		{" ./crumb.png\n", "/srv/bread/crumb.png", "image/png", "hello"},
		{`"crumb.png"`, "/srv/bread/crumb.png", "image/png", "hello"},
		{`' crumb.png '`, "/srv/bread/crumb.png", "image/png", "hello"},
		{`"o.gif"`, "/srv/bread/o.gif", "image/gif", "o"},
		{`'.png`, "/srv/bread/'.png", "image/png", "quote"},
		{"sub/a b.jpg", "/srv/bread/sub/a b.jpg", "image/jpeg", "jpg"},
		{"../bread/sub/a b.jpg", "/srv/bread/sub/a b.jpg", "image/jpeg", "jpg"},
		{"~/oven.WEBP", "/home/baker/oven.WEBP", "image/webp", "webp"},
		{`"~/oven.WEBP"`, "/home/baker/oven.WEBP", "image/webp", "webp"},
		{"~.png", "/srv/bread/~.png", "image/png", "~"},
		{"~baker/x.gif", "/srv/bread/~baker/x.gif", "image/gif", "b"},
		{"/pics/x.jpeg", "/pics/x.jpeg", "image/jpeg", "jpeg"},
		{"file:///pics/x.jpeg", "/pics/x.jpeg", "image/jpeg", "jpeg"},
		{"file:///pics/%C3%A4.png", "/pics/ä.png", "image/png", ""},
		{"file:///pics/50%.gif", "/pics/50%.gif", "image/gif", "gif"},
		{"file:///pics/50%25.gif", "/pics/50%.gif", "image/gif", "gif"},
		{"file://crumb.png", "/srv/bread/crumb.png", "image/png", "hello"},
		{"file://~/oven.WEBP", "/home/baker/oven.WEBP", "image/webp", "webp"},
	} {
		got, err := finder.resolve(ImageInput{Path: test.path, MimeType: "image/unheard-of"})
		if err != nil {
			t.Errorf("%q: %v", test.path, err)
			continue
		}
		url := "data:" + test.mime + ";base64," + base64.StdEncoding.EncodeToString([]byte(test.content))
		want := image{Image{test.want, test.mime, url, len(test.content)}, []byte(test.content)}
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(image{})); diff != "" {
			t.Errorf("%q (-want +got)\n%s", test.path, diff)
		}
	}
}

func TestImageFilesRefused(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	big := &fstest.MapFile{Data: make([]byte, 21<<20)}
	finder := pictures(fstest.MapFS{
		"pics/a.bmp":          pictureFile("x"),
		"pics/A.TIFF":         pictureFile("x"),
		"pics/plain":          pictureFile("x"),
		"pics/big.png":        big,
		"pics/big.bmp":        big,
		"pics/fits.png":       &fstest.MapFile{Data: make([]byte, imageLimit)},
		"pics/unreadable.png": pictureFile("x"),
		"pics/pipe.png":       &fstest.MapFile{Mode: fs.ModeNamedPipe},
	})
	for path, want := range map[string]string{
		"/pics/none.png":       "file not found: /pics/none.png",
		"none.png":             "file not found: /srv/bread/none.png",
		"file:///%FF.png":      "file not found: /%FF.png",
		"/locked.png":          "unable to stat file: /locked.png",
		"/pics":                "not a file: /pics",
		"/pics/pipe.png":       "not a file: /pics/pipe.png",
		"/pics/big.png":        "image too large (21.0 mb). max is 20.0 mb",
		"/pics/big.bmp":        "image too large (21.0 mb). max is 20.0 mb",
		"/pics/a.bmp":          "unsupported image type: .bmp. supported: .png, .jpg, .jpeg, .webp, .gif",
		"/pics/A.TIFF":         "unsupported image type: .tiff. supported: .png, .jpg, .jpeg, .webp, .gif",
		"/pics/plain":          "unsupported image type: (no extension). supported: .png, .jpg, .jpeg, .webp, .gif",
		"/pics/unreadable.png": "unable to read image file: /pics/unreadable.png",
		"/pics/fits.png":       "",
	} {
		_, err := finder.resolve(ImageInput{Path: path})
		if got := problem(err); got != want {
			t.Errorf("%s: %q, want %q", path, got, want)
		}
	}

	// A file that grows while it is read is read no further than shows it.
	read := 0
	finder.open = func(string) (io.ReadCloser, error) { return io.NopCloser(endless{&read}), nil }
	if _, err := finder.resolve(ImageInput{Path: "/pics/fits.png"}); problem(err) != "image too large (20.0 mb). max is 20.0 mb" || read > imageLimit+1 {
		t.Errorf("%v, after %d bytes", err, read)
	}
}

func problem(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// endless counts what is read of it.
type endless struct{ read *int }

func (e endless) Read(p []byte) (int, error) {
	*e.read += len(p)
	return len(p), nil
}

func TestImageURLs(t *testing.T) {
	const hello = "data:image/png;base64,aGVsbG8="
	finder := pictures(nil)
	for _, test := range []struct {
		in   ImageInput
		want Image
		data string
	}{
		{ImageInput{"", "image/png", hello}, Image{"rpc-image-1772359200000.png", "image/png", hello, 5}, "hello"},
		{ImageInput{"a name", "", hello}, Image{"a name", "image/png", hello, 5}, "hello"},
		{ImageInput{"x", " IMAGE/Gif ", hello}, Image{"x", "image/gif", hello, 5}, "hello"},
		{ImageInput{"x", "", "DATA:Image/WebP;BASE64,aGVsbG8"}, Image{"x", "image/webp", "DATA:Image/WebP;BASE64,aGVsbG8", 5}, "hello"},
		{ImageInput{"x", "image/png", "data:text/plain;base64,aGVsbG8"}, Image{"x", "image/png", "data:text/plain;base64,aGVsbG8", 5}, "hello"},
		{ImageInput{"x", "", "data:image/jpeg;base64,-_-_"}, Image{"x", "image/jpeg", "data:image/jpeg;base64,-_-_", 3}, "\xfb\xff\xbf"},
		{ImageInput{"x", "", "data:image/jpeg;base64,a G\nV.sbG8=,!é"}, Image{"x", "image/jpeg", "data:image/jpeg;base64,a G\nV.sbG8=,!é", 5}, "hello"},
		{ImageInput{"x", "", "data:image/jpeg;base64,aGVsb"}, Image{"x", "image/jpeg", "data:image/jpeg;base64,aGVsb", 3}, "hel"},
	} {
		got, err := finder.resolve(test.in)
		if err != nil {
			t.Errorf("%+v: %v", test.in, err)
			continue
		}
		if diff := cmp.Diff(image{test.want, []byte(test.data)}, got, cmp.AllowUnexported(image{})); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", test.in, diff)
		}
	}
}

func TestImageURLsRefused(t *testing.T) {
	const form = "invalid image data_url. expected data:<mime>;base64,<payload>"
	finder := pictures(nil)
	for _, test := range []struct{ url, mime, want string }{
		{"https://example.org/a.png", "", form},
		{"aGVsbG8=", "", form},
		{"data:", "", form},
		{"data:;base64,aGVsbG8=", "", form},
		{"data:,x", "", form},
		{"data:image/png,aGVsbG8=", "", form},
		{"data:image/png;base64", "", form},
		{"data:image/png;base64,", "", form},
		{"data:image/png;name=a;base64,aGVsbG8=", "", form},
		{"data:image/png;base32,aGVsbG8=", "", form},
		{"ata:image/png;base64,aGVsbG8=", "", form},
		{"data: ;base64,aGVsbG8=", "", "invalid image data_url payload"},
		{"data:image/bmp;base64,aGVsbG8=", "", "unsupported image mime type: image/bmp"},
		{"data:image/png;base64,aGVsbG8=", "Text/Plain", "unsupported image mime type: text/plain"},
		{"data:image/png;base64,====", "", "image payload is empty"},
		{"data:image/png;base64,A", "", "image payload is empty"},
		{"data:image/png;base64,%%%", "", "image payload is empty"},
	} {
		_, err := finder.resolve(ImageInput{"/pics/x.png", test.mime, test.url})
		if got := problem(err); got != test.want {
			t.Errorf("%s %s: %q, want %q", test.url, test.mime, got, test.want)
		}
	}
}

// A payload that is too large is refused by its length: nothing is decoded, or even copied.
func TestImageBomb(t *testing.T) {
	racetest.Skip(t, racetest.Sequential)
	bomb := ImageInput{DataURL: "data:image/png;base64," + strings.Repeat("QUJD", 24<<20/3)}
	finder := pictures(nil)
	allocated := testing.AllocsPerRun(1, func() {
		if _, err := finder.resolve(bomb); problem(err) != "image too large (24.0 mb). max is 20.0 mb" {
			t.Error(err)
		}
	})
	if allocated > 20 {
		t.Errorf("%g allocations", allocated)
	}
	spaces := ImageInput{DataURL: "data:image/png;base64," + strings.Repeat(" ", 16<<20) + "QUJD"}
	if got, err := finder.resolve(spaces); err != nil || string(got.data) != "ABC" {
		t.Errorf("%d bytes, %v", got.ByteSize, err)
	}
	exact := ImageInput{DataURL: "data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, imageLimit))}
	if got, err := finder.resolve(exact); err != nil || got.ByteSize != imageLimit {
		t.Errorf("%d bytes, %v", got.ByteSize, err)
	}
	exact.DataURL = "data:image/png;base64," + base64.StdEncoding.EncodeToString(make([]byte, imageLimit+1))
	if _, err := finder.resolve(exact); problem(err) != "image too large (20.0 mb). max is 20.0 mb" {
		t.Error(err)
	}
}

func TestFirstBadImageWins(t *testing.T) {
	finder := pictures(fstest.MapFS{"a.png": pictureFile("a")})
	good, bad, worse := ImageInput{Path: "/a.png"}, ImageInput{Path: "/b.png"}, ImageInput{DataURL: "x"}
	if got, err := finder.resolveAll([]ImageInput{good, good}); err != nil || len(got) != 2 {
		t.Errorf("%d images, %v", len(got), err)
	}
	if _, err := finder.resolveAll([]ImageInput{good, bad, worse}); problem(err) != "file not found: /b.png" {
		t.Error(err)
	}
	if _, err := finder.resolveAll([]ImageInput{worse, bad}); !errors.Is(err, errDataURL) {
		t.Error(err)
	}
}

func TestImagesOnDisk(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.png")
	if err := os.WriteFile(path, []byte("png"), 0o600); err != nil {
		t.Fatal(err)
	}
	finder := diskImages(dir, dir, time.Now())
	for _, name := range []string{"a.png", "~/a.png", path, "file://" + path} {
		if got, err := finder.resolve(ImageInput{Path: name}); err != nil || got.Path != path || string(got.data) != "png" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
	for name, want := range map[string]string{".": "not a file: " + dir, "": "not a file: " + dir, "a\x00.png": "file not found: " + dir + "/a\x00.png", "a.png/b.png": "file not found: " + path + "/b.png"} {
		if _, err := finder.resolve(ImageInput{Path: name}); problem(err) != want {
			t.Errorf("%q: %v", name, err)
		}
	}
}

// Whatever stands between the digits, they are decoded as they are without it.
func TestLenientBase64(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		data := rapid.SliceOf(rapid.Byte()).Draw(t, "data")
		encoding := rapid.SampledFrom([]*base64.Encoding{base64.StdEncoding, base64.URLEncoding, base64.RawStdEncoding, base64.RawURLEncoding}).Draw(t, "encoding")
		var text strings.Builder
		for _, c := range encoding.EncodeToString(data) {
			text.WriteString(rapid.StringMatching("[ \t\r\n.!=é]{0,2}").Draw(t, "junk"))
			text.WriteRune(c)
		}
		if got := lenientBase64(text.String()); !bytes.Equal(got, data) {
			t.Fatalf("%q became %q, want %q", text.String(), got, data)
		}
		if got := decodedSize(text.String()); got != len(data) {
			t.Fatalf("%d bytes, want %d", got, len(data))
		}
	})
}

func FuzzImageURL(f *testing.F) {
	for _, url := range []string{"data:image/png;base64,aGVsbG8=", "data:;base64,x", "data:image/gif;base64,A", "DATA:a/b;BASE64,-_", "data:image/png;base64,\xff"} {
		f.Add(url, "")
	}
	f.Fuzz(func(t *testing.T, url, mime string) {
		got, err := pictures(nil).fromURL(ImageInput{"", mime, url})
		if err != nil {
			return
		}
		if got.ByteSize != len(got.data) || got.ByteSize == 0 || got.ByteSize > imageLimit || !strings.HasPrefix(got.MimeType, "image/") {
			t.Fatalf("%+v of %d bytes", got.Image, len(got.data))
		}
	})
}

func TestByteSize(t *testing.T) {
	for n, want := range map[int64]string{
		-1: "0 b", 0: "0 b", 1: "1 b", 1023: "1023 b", 1024: "1.00 kb", 1152: "1.13 kb", 1536: "1.50 kb", 10 << 10: "10.0 kb", 12595: "12.3 kb", 100 << 10: "100 kb",
		1<<20 - 1: "1024 kb", 1 << 20: "1.00 mb", 8 << 20: "8.00 mb", imageLimit: "20.0 mb", imageLimit + 1: "20.0 mb", 9 << 20: "9.00 mb", 8<<20 + 1<<17: "8.13 mb",
		10<<20 - 1: "10.00 mb", 12 << 20: "12.0 mb", 100<<20 - 1: "100.0 mb", 100 << 20: "100 mb", 5 << 30: "5120 mb", math.MaxInt64: "8796093022208 mb",
	} {
		if got := byteSize(n); got != want {
			t.Errorf("%d: %s, want %s", n, got, want)
		}
	}
}

func TestLabelled(t *testing.T) {
	for _, test := range []struct {
		text   string
		images int
		want   string
	}{
		{"What is this?", 0, "What is this?"},
		{"What is this?", 1, "What is this? [Image 1]"},
		{"", 2, "[Image 1] [Image 2]"},
		{" \n", 1, "[Image 1]"},
		{"see [image 2]", 3, "see [image 2] [Image 1] [Image 3]"},
		{"[IMAGE 1][Image 02]", 2, "[IMAGE 1][Image 02] [Image 2]"},
		{"[Image 12]", 1, "[Image 12] [Image 1]"},
	} {
		if got := labelled(test.text, test.images); got != test.want {
			t.Errorf("%q, %d: %q, want %q", test.text, test.images, got, test.want)
		}
	}
}
