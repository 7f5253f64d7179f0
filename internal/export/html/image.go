package html

import (
	"cmp"
	"encoding/base64"
	"io"
	"strings"

	"parley.dev/parley/internal/model"
)

var imageTypes = map[string]bool{"image/png": true, "image/jpeg": true, "image/gif": true, "image/webp": true}

// image writes an image into the page, or the name and address of one that is elsewhere.
func (f *fold) image(img model.Image) {
	if img.URL != "" {
		f.put(`<p class="note">image: `)
		f.link(img.URL, img.URL)
		f.put("</p>\n")
		return
	}
	data, err := img.Data, error(nil)
	if len(data) == 0 && img.Blob != "" && f.blob != nil {
		data, err = f.blob(img.Blob)
	}
	if err != nil || len(data) == 0 || !imageTypes[img.MIME] {
		f.note(strings.Join(strings.Fields("The image "+img.Name+" ("+img.MIME+") is missing."), " "))
		return
	}
	f.put(`<figure><img src="data:`)
	f.text(img.MIME)
	f.put(";base64,")
	encoder := base64.NewEncoder(base64.StdEncoding, asWriter{f.w})
	_, _ = encoder.Write(data) // the page's writer keeps its error
	_ = encoder.Close()        // as above
	f.put(`" alt="`)
	f.text(cmp.Or(img.Name, "image"))
	f.put(`"></figure>` + "\n")
}

type asWriter struct{ io.StringWriter }

func (w asWriter) Write(p []byte) (int, error) { return w.WriteString(string(p)) }
