package tool

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/text"
	"parley.dev/parley/internal/tool/workspace"
)

// ClientFiles are text files as the client of a session has them: an editor has buffers that are not
// saved. What a nil function would do is done on our own disk.
//
// Paths are absolute and without symlinks, and the calls that they belong to are approved: a path that is denied is
// never sent to a client. Both functions return soon after ctx has ended, and may be called at the same time.
type ClientFiles struct {
	// Read returns the whole text of a file, in UTF-8. After an error the file is read from our own disk.
	Read func(ctx context.Context, path string) (text string, err error)
	// Write makes text the content of a file, which it creates if there is none. An error means that the file is as it
	// was; the call fails then, and our own disk is not written.
	Write func(ctx context.Context, path, text string) error
}

// clientGrace limits how long a client is waited for after a call was interrupted.
const clientGrace = 2 * time.Second

// maxClientError is the limit of the text of a client's error in a result, in bytes.
const maxClientError = 400

// text returns the text of p as the client has it; ok is false if our own disk has to be read. Only what is a text
// there, or is not there, is requested from the client. The error is the cause of ctx.
func (f ClientFiles) text(ctx context.Context, w *workspace.Workspace, p approval.Path) (content original, ok bool, err error) {
	if f.Read == nil {
		return original{}, false, nil
	}
	perm, exists, isText := textOnDisk(w, p)
	if !isText {
		return original{}, false, nil
	}
	read, err := f.Read(ctx, p.Path)
	switch {
	case ctx.Err() != nil:
		return original{}, false, context.Cause(ctx)
	case err != nil, read == "" && !exists: // some clients have an empty text for a file that does not exist
		return original{}, false, nil
	}
	return original{data: []byte(read), exists: true, perm: perm}, true, nil
}

// textOnDisk reports whether p exists on our own disk, and whether it may be requested from a client: it is a text of at
// most maxKept bytes, or does not exist. The permission bits are those of a new file then.
func textOnDisk(w *workspace.Workspace, p approval.Path) (perm fs.FileMode, exists, isText bool) {
	file, err := w.Open(p)
	if errors.Is(err, fs.ErrNotExist) {
		return 0o666, false, true
	}
	if err != nil {
		return 0, false, false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || info.Size() > maxKept {
		return 0, true, false
	}
	kind, err := FileKind(file)
	return info.Mode().Perm(), true, err == nil && kind == "text"
}

// writes reports whether the client writes a file that changes from old to data: a text remains a text.
func (f ClientFiles) writes(old original, data []byte) bool {
	return f.Write != nil && !old.huge && !isBinary(old.data) && !isBinary(data)
}

// write makes data the content of p, by the client. Missing folders are made on our own disk, since not every client makes
// them. The error is worded for models.
func (f ClientFiles) write(ctx context.Context, w *workspace.Workspace, p approval.Path, data []byte) error {
	folders := missingFolders(w, p)
	err := w.PrepareWrite(p)
	if err == nil {
		if err = f.Write(ctx, p.Path, string(data)); err == nil {
			return nil
		}
		if err = clientError("did not write it", err); ctx.Err() != nil {
			err = errors.New("interrupted while the client wrote it; read it to see whether it has changed")
		}
	}
	removeFolders(w, folders)
	return err
}

// clientError returns the error of a request to the client, worded for models. It wraps nothing: what the error of the
// client is to our own disk does not count.
func clientError(problem string, err error) error {
	return errors.New("the client " + problem + ": " + text.Clip(text.Printable(err.Error()), maxClientError, "…"))
}

// outliving returns a context that ends some time after ctx, for requests that close what was begun.
func outliving(ctx context.Context, grace time.Duration) (context.Context, context.CancelFunc) {
	longer, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		timer := time.NewTimer(grace)
		defer timer.Stop()
		select {
		case <-timer.C:
			cancel()
		case <-longer.Done():
		}
	})
	return longer, func() { stop(); cancel() }
}
