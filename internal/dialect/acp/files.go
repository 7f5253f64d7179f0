package acp

import (
	"context"
	"errors"

	"parley.dev/parley/internal/engine"
)

// This file lets tools read and write files of the client.

// A clientIO is what tools use of the client in a session.
type clientIO struct{ read, write, terminals bool }

// useClient makes tools use what the client offers and the command line does not forbid, from the next call on.
func (s *session) useClient() {
	caps, flags := s.conn.caps, s.conn.cfg.Flags
	now := clientIO{
		read: caps.FS.ReadTextFile && !flags.NoFiles, write: caps.FS.WriteTextFile && !flags.NoFiles,
		terminals: caps.Terminal && !flags.NoTerminal,
	}
	if now.read != s.clientIO.read || now.write != s.clientIO.write {
		var files engine.ClientFiles
		if now.read {
			files.Read = s.readFile
		}
		if now.write {
			files.Write = s.writeFile
		}
		s.logUnused("files", s.client.UseFiles(files))
	}
	if now.terminals != s.clientIO.terminals {
		var terminals engine.ClientTerminals
		if now.terminals {
			terminals = clientTerminals{s}
		}
		s.logUnused("terminals", s.client.UseTerminals(terminals))
	}
	s.clientIO = now
}

func (s *session) logUnused(what string, err error) {
	if err != nil && !errors.Is(err, engine.ErrClosed) {
		s.conn.cfg.Log.Warn("the client's "+what+" are not used", "session", s.id, "error", err)
	}
}

// readFile returns the text of a file as the client has it.
func (s *session) readFile(ctx context.Context, path string) (string, error) {
	result, err := askClient[ReadTextFileResult](ctx, s, "fs/read_text_file", ReadTextFileParams{s.id, path})
	return result.Content, err
}

// writeFile makes the client write a file.
func (s *session) writeFile(ctx context.Context, path, text string) error {
	_, err := askClient[Empty](ctx, s, "fs/write_text_file", WriteTextFileParams{s.id, path, text})
	return err
}
