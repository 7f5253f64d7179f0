package main

import (
	"archive/tar"
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"golang.org/x/crypto/x509roots/fallback/bundle"
)

// The user of the image: the number that images without root commonly have.
const (
	imageUser  = 65532
	imageHome  = "/home/nonroot"
	imageWork  = "/workspace"
	imageRoots = "etc/ssl/certs/ca-certificates.crt"
)

// An entry is a file of a layer, or a folder if its path ends with a slash.
type entry struct {
	path string
	mode int64
	user int
	data []byte
}

// image writes the container image of all Linux platforms, as an OCI layout in a tar file. Without any there
// is none.
func (r release) image() error {
	labels := map[string]string{
		"org.opencontainers.image.title": "parley", "org.opencontainers.image.description": summary, "org.opencontainers.image.url": homepage,
		"org.opencontainers.image.version": r.version, "org.opencontainers.image.licenses": "Apache-2.0", "org.opencontainers.image.created": r.time.Format(time.RFC3339),
	}
	if r.commit != "" {
		labels["org.opencontainers.image.revision"] = r.commit
	}
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	index = mutate.Annotations(index, labels).(v1.ImageIndex)
	platforms := 0
	for _, p := range r.platforms {
		if p.os != "linux" {
			continue
		}
		img, err := r.platformImage(p, labels)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: img, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: p.os, Architecture: p.arch}}})
		platforms++
	}
	if platforms == 0 {
		return nil
	}
	folder, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	written, err := layout.Write(folder, empty.Index)
	if err != nil {
		return err
	}
	if err := written.AppendIndex(index, layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": r.version})); err != nil {
		return err
	}
	return r.create("parley-"+r.version+"-oci.tar", func(w io.Writer) error { return r.tarFolder(w, folder) })
}

// platformImage returns the image of one platform: what every program needs, and the programs.
func (r release) platformImage(p platform, labels map[string]string) (v1.Image, error) {
	var tools []entry
	tools = append(tools, entry{path: "usr/", mode: 0o755}, entry{path: "usr/bin/", mode: 0o755})
	for _, name := range programs {
		data, err := os.ReadFile(r.built(name, p))
		if err != nil {
			return nil, err
		}
		tools = append(tools, entry{path: "usr/bin/" + name, mode: 0o755, data: data})
	}
	tools = append(tools, entry{path: "usr/share/", mode: 0o755}, entry{path: "usr/share/licenses/", mode: 0o755}, entry{path: "usr/share/licenses/parley/", mode: 0o755})
	for _, name := range []string{"LICENSE", "LICENSES.txt"} {
		data, err := os.ReadFile(filepath.Join(r.dist, name))
		if err != nil {
			return nil, err
		}
		tools = append(tools, entry{path: "usr/share/licenses/parley/" + name, mode: 0o644, data: data})
	}
	img := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	for _, l := range []struct {
		comment string
		entries []entry
	}{{"user, certificates, folders", baseEntries()}, {"programs", tools}} {
		layer, err := r.layer(l.entries)
		if err != nil {
			return nil, err
		}
		img, err = mutate.Append(img, mutate.Addendum{Layer: layer, MediaType: types.OCILayer, History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "make release", Comment: l.comment}})
		if err != nil {
			return nil, err
		}
	}
	config, err := img.ConfigFile() // it has the layers
	if err != nil {
		return nil, err
	}
	config.OS, config.Architecture, config.Created = p.os, p.arch, v1.Time{Time: r.time}
	config.Config = v1.Config{
		User: fmt.Sprintf("%d:%d", imageUser, imageUser), WorkingDir: imageWork, Entrypoint: []string{"/usr/bin/parley"},
		Env: []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME=" + imageHome}, Labels: labels,
	}
	return mutate.ConfigFile(img, config)
}

// baseEntries returns what is not Parley's in the image.
func baseEntries() []entry {
	passwd := fmt.Sprintf("root:x:0:0:root:/root:/sbin/nologin\nnonroot:x:%d:%[1]d:nonroot:%s:/sbin/nologin\n", imageUser, imageHome)
	group := fmt.Sprintf("root:x:0:\nnonroot:x:%d:\n", imageUser)
	return []entry{
		{path: "etc/", mode: 0o755},
		{path: "etc/group", mode: 0o644, data: []byte(group)},
		{path: "etc/passwd", mode: 0o644, data: []byte(passwd)},
		{path: "etc/ssl/", mode: 0o755},
		{path: "etc/ssl/certs/", mode: 0o755},
		{path: imageRoots, mode: 0o644, data: rootCertificates()},
		{path: "home/", mode: 0o755},
		{path: imageHome[1:] + "/", mode: 0o700, user: imageUser},
		{path: "tmp/", mode: 0o1777},
		{path: imageWork[1:] + "/", mode: 0o755, user: imageUser},
	}
}

// rootCertificates returns Mozilla's root certificates as PEM, of the version that go.mod pins. Roots that are
// trusted under conditions are left out, because PEM cannot say them.
func rootCertificates() []byte {
	var b bytes.Buffer
	for root := range bundle.Roots() {
		if root.Constraint == nil {
			_ = pem.Encode(&b, &pem.Block{Type: "CERTIFICATE", Bytes: root.Certificate}) // memory does not fail
		}
	}
	return b.Bytes()
}

// layer returns entries as a layer of an image.
func (r release) layer(entries []entry) (v1.Layer, error) {
	var b bytes.Buffer
	t := tar.NewWriter(&b)
	for _, e := range entries {
		header := &tar.Header{Name: e.path, Mode: e.mode, Uid: e.user, Gid: e.user, Size: int64(len(e.data)), ModTime: r.time, Typeflag: tar.TypeReg, Format: tar.FormatUSTAR}
		if e.path[len(e.path)-1] == '/' {
			header.Typeflag = tar.TypeDir
		}
		if err := t.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := t.Write(e.data); err != nil {
			return nil, err
		}
	}
	if err := t.Close(); err != nil {
		return nil, err
	}
	opener := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(opener, tarball.WithMediaType(types.OCILayer))
}

// tarFolder writes the files of a folder, sorted by path.
func (r release) tarFolder(w io.Writer, folder string) error {
	t := tar.NewWriter(w)
	err := fs.WalkDir(os.DirFS(folder), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return err
		}
		if err := t.WriteHeader(&tar.Header{Name: path, Mode: 0o644, Size: int64(len(data)), ModTime: r.time, Format: tar.FormatUSTAR}); err != nil {
			return err
		}
		_, err = t.Write(data)
		return err
	})
	if err != nil {
		return err
	}
	return t.Close()
}
