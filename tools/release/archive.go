package main

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"fmt"
	"io"
)

// archive packs the files of a platform below one folder: as zip for Windows, else as tar.gz.
func (r release) archive(p platform, files []file) error {
	folder := fmt.Sprintf("parley-%s-%s-%s", r.version, p.os, p.arch)
	if p.os == "windows" {
		return r.create(folder+".zip", func(w io.Writer) error { return r.zip(w, folder, files) })
	}
	return r.create(folder+".tar.gz", func(w io.Writer) error {
		packed := gzip.NewWriter(w)
		if err := r.tar(packed, folder, files); err != nil {
			return err
		}
		return packed.Close()
	})
}

func (r release) tar(w io.Writer, folder string, files []file) error {
	t := tar.NewWriter(w)
	for _, f := range files {
		header := &tar.Header{Name: folder + "/" + f.path, Mode: int64(f.mode()), Size: int64(len(f.data)), ModTime: r.time, Format: tar.FormatUSTAR}
		if err := t.WriteHeader(header); err != nil {
			return err
		}
		if _, err := t.Write(f.data); err != nil {
			return err
		}
	}
	return t.Close()
}

func (r release) zip(w io.Writer, folder string, files []file) error {
	z := zip.NewWriter(w)
	for _, f := range files {
		header := &zip.FileHeader{Name: folder + "/" + f.path, Method: zip.Deflate, Modified: r.time}
		header.SetMode(f.mode())
		entry, err := z.CreateHeader(header)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.data); err != nil {
			return err
		}
	}
	return z.Close()
}
