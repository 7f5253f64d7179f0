package snapshot

import (
	"bytes"
	"encoding/binary"
	"errors"
)

// The layout of an index file of version 2 or 3, gitformat-index(5), with ids of SHA-1.
const (
	indexHeader  = 12 // "DIRC", version, number of entries
	entryMode    = 24 // offset of the mode in an entry
	entryFlags   = 60
	entryName    = 62
	flagExtended = 0x4000
	modeGitlink  = 0o160000
)

var errIndex = errors.New("the index has an unknown form")

// gitlinks returns the paths of nested repositories in an index file.
func gitlinks(index []byte) (paths []string, err error) {
	if len(index) < indexHeader || string(index[:4]) != "DIRC" {
		return nil, errIndex
	}
	if version := binary.BigEndian.Uint32(index[4:]); version != 2 && version != 3 {
		return nil, errIndex
	}
	entries, rest := binary.BigEndian.Uint32(index[8:]), index[indexHeader:]
	for range entries {
		if len(rest) < entryName {
			return nil, errIndex
		}
		start := entryName
		if binary.BigEndian.Uint16(rest[entryFlags:])&flagExtended != 0 {
			start += 2
		}
		length := bytes.IndexByte(rest[min(start, len(rest)):], 0)
		if length < 0 {
			return nil, errIndex
		}
		if binary.BigEndian.Uint32(rest[entryMode:]) == modeGitlink {
			paths = append(paths, string(rest[start:start+length]))
		}
		size := (start + length + 8) / 8 * 8 // 1 to 8 bytes of padding
		if size > len(rest) {
			return nil, errIndex
		}
		rest = rest[size:]
	}
	return paths, nil
}
