package main

import "os"

// memoryFolder is a file system in memory, where an fsync costs nothing.
const memoryFolder = "/dev/shm"

// inMemory runs work with the places of programs in memory, if this system has such a folder.
func (b *bench) inMemory(work func() error) error {
	dir, err := os.MkdirTemp(memoryFolder, "parley-bench-")
	if err != nil {
		return nil //nolint:nilerr // the figures are left out
	}
	defer os.RemoveAll(dir)
	disk := b.dir
	b.dir = dir
	defer func() { b.dir = disk }()
	return work()
}

// unsynced measures requests and rounds of tools without the disk.
func (b *bench) unsynced(s subject) error {
	return b.inMemory(func() error {
		if err := b.warm(s, func(a *agent) error { return b.prompts(a, "memory-request", "") }); err != nil {
			return err
		}
		if s.shell.name != "" {
			if err := b.rounds(s, "memory-shell-round", s.shell, said); err != nil {
				return err
			}
		}
		if s.dialect.read.name == "" {
			return nil
		}
		return b.rounds(s, "memory-read-round", s.dialect.read, content)
	})
}
