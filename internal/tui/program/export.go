package program

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// export writes a session as a page into the workspace, or where that is on another machine into the current folder, and
// returns the path. An existing file stays.
func (c *console) export(session string) (string, error) {
	data, err := c.link.Export(context.Background(), session, "html")
	if err != nil {
		return "", err
	}
	folder := c.o.Workspace
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		folder = "."
	}
	name := "parley-" + filepath.Base(session)
	for n := 1; ; n++ {
		path := filepath.Join(folder, name+".html")
		if n > 1 {
			path = filepath.Join(folder, fmt.Sprintf("%s-%d.html", name, n))
		}
		file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return "", err
		}
		_, err = file.Write(data)
		return path, errors.Join(err, file.Close())
	}
}
