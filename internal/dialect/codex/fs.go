package codex

import (
	"context"
	"encoding/base64"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/regular"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// This file reads and writes files for the client, as the user: what models may do is another question.

func fileMethods() []handler {
	return []handler{
		on("fs/readFile", files(func(c *conn, p *FsReadFileParams) (any, error) { return c.readFile(p) })),
		on("fs/writeFile", files(func(c *conn, p *FsWriteFileParams) (any, error) { return c.writeFile(p) })),
		on("fs/createDirectory", files(func(c *conn, p *FsCreateDirectoryParams) (any, error) { return c.createDirectory(p) })),
		on("fs/getMetadata", files(func(c *conn, p *FsGetMetadataParams) (any, error) { return c.getMetadata(p) })),
		on("fs/readDirectory", files(func(c *conn, p *FsReadDirectoryParams) (any, error) { return c.readDirectory(p) })),
		on("fs/remove", files(func(c *conn, p *FsRemoveParams) (any, error) { return c.removeFile(p) })),
		on("fs/copy", files(func(c *conn, p *FsCopyParams) (any, error) { return c.copyFile(p) })),
	}
}

// files returns what answers a request about files with the result, or the error, of do.
func files[P any](do func(*conn, *P) (any, error)) func(*conn, context.Context, jsonrpc.ID, *P) {
	return func(c *conn, _ context.Context, id jsonrpc.ID, p *P) {
		result, err := do(c, p)
		if err == nil {
			c.reply(id, result)
			return
		}
		if _, known := errors.AsType[*jsonrpc.Error](err); !known {
			err = refused(err.Error())
		}
		c.fail(id, "", err)
	}
}

// fileMost bounds a file that is read, in bytes: its line has a third more.
const fileMost = 40 << 20

// path returns a path that a client names, if it may. Clients of sockets may not touch the state folders and the configuration of
// the user.
func (c *conn) path(member, path string) (string, error) {
	if !filepath.IsAbs(path) {
		return "", invalid(member + " must be an absolute path")
	}
	path = filepath.Clean(path)
	if !c.cfg.Leaves {
		return path, nil
	}
	for _, private := range append([]string{c.cfg.Home, c.cfg.UserFile}, c.cfg.States...) {
		for _, form := range []string{path, realPath(path)} {
			if private != "" && within(form, realPath(private)) || private != "" && within(form, private) {
				return "", refused("files of parley are not read or written over a socket")
			}
		}
	}
	return path, nil
}

// within reports whether a path is another one, or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator))+string(filepath.Separator))
}

// realPath resolves the links of a path, as far as it exists.
func realPath(path string) string {
	for rest := ""; ; {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return filepath.Join(real, rest)
		}
		if filepath.Dir(path) == path {
			return filepath.Join(path, rest)
		}
		rest, path = filepath.Join(filepath.Base(path), rest), filepath.Dir(path)
	}
}

func (c *conn) readFile(p *FsReadFileParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, refused(path + " is no regular file")
	case info.Size() > fileMost:
		return nil, refused(path + " is too large to be read at once")
	}
	data, err := regular.ReadFile(path, fileMost)
	return FsReadFileResponse{base64.StdEncoding.EncodeToString(data)}, err
}

func (c *conn) writeFile(p *FsWriteFileParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(p.DataBase64)
	if err != nil {
		return nil, invalid("dataBase64 must be base64")
	}
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return nil, refused(path + " is no regular file")
	}
	return FsWriteFileResponse{}, os.WriteFile(path, data, 0o666) // as a program of the user would: less the umask
}

func (c *conn) createDirectory(p *FsCreateDirectoryParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	if p.Recursive {
		return FsCreateDirectoryResponse{}, os.MkdirAll(path, 0o777)
	}
	return FsCreateDirectoryResponse{}, os.Mkdir(path, 0o777)
}

func (c *conn) getMetadata(p *FsGetMetadataParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	own, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(path)
	if err != nil {
		info = own // a link to nothing
	}
	changed := info.ModTime().UnixMilli()
	return FsGetMetadataResponse{
		IsDirectory: info.IsDir(), IsFile: info.Mode().IsRegular(), IsSymlink: own.Mode()&fs.ModeSymlink != 0, ModifiedAtMS: changed, CreatedAtMS: changed,
	}, nil
}

func (c *conn) readDirectory(p *FsReadDirectoryParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	answer := FsReadDirectoryResponse{}
	for _, e := range entries {
		answer.Entries = append(answer.Entries, FsReadDirectoryEntry{FileName: e.Name(), IsDirectory: e.IsDir(), IsFile: e.Type().IsRegular()})
	}
	return answer, nil
}

func (c *conn) removeFile(p *FsRemoveParams) (any, error) {
	path, err := c.path("path", p.Path)
	if err != nil {
		return nil, err
	}
	if filepath.Dir(path) == path {
		return nil, refused("the root folder is not removed")
	}
	if _, err := os.Lstat(path); err != nil {
		if p.Force && errors.Is(err, fs.ErrNotExist) {
			return FsRemoveResponse{}, nil
		}
		return nil, err
	}
	if p.Recursive {
		return FsRemoveResponse{}, os.RemoveAll(path)
	}
	return FsRemoveResponse{}, os.Remove(path)
}

func (c *conn) copyFile(p *FsCopyParams) (any, error) {
	from, err := c.path("sourcePath", p.SourcePath)
	if err != nil {
		return nil, err
	}
	to, err := c.path("destinationPath", p.DestinationPath)
	if err != nil {
		return nil, err
	}
	info, err := os.Stat(from)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir() && !p.Recursive:
		return nil, refused(from + " is a folder: recursive is needed")
	case info.IsDir() && within(realPath(to), realPath(from)):
		return nil, refused("a folder cannot be copied into itself")
	case info.IsDir():
		return FsCopyResponse{}, os.CopyFS(to, os.DirFS(from))
	case !info.Mode().IsRegular():
		return nil, refused(from + " is no regular file")
	}
	data, err := regular.ReadFile(from, info.Size())
	if err != nil {
		return nil, err
	}
	return FsCopyResponse{}, os.WriteFile(to, data, info.Mode().Perm())
}
