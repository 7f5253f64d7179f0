package native

import (
	"parley.dev/parley/internal/wire"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// frames is how this protocol does JSON-RPC, in and out.
var frames = jsonrpc.Options{Version: true}

func checkSessionsList(p *SessionsListParams) error {
	return inRange("limit", p.Limit, 0, 1000)
}

func checkSessionCreate(p *SessionCreateParams) error {
	if p.Workspace == "" {
		return problem("workspace", "must not be empty")
	}
	return nil
}

func checkSessionFollow(p *SessionFollowParams) error {
	for _, kind := range p.Transient {
		if kind.Durable() {
			return problem("transient", "names "+string(kind)+", which is not a kind of transient records")
		}
	}
	return inRange("pace_ms", p.PaceMS, 0, 60_000)
}

func checkSessionRecords(p *SessionRecordsParams) error {
	if p.Limit == 0 {
		p.Limit = 100
	}
	return inRange("limit", p.Limit, 1, 1000)
}

func checkSessionBlob(p *SessionBlobParams) error {
	return checkPiece(p.Offset, &p.Limit)
}

// checkPiece checks which piece of something is to be read.
func checkPiece(offset int, limit *int) error {
	if *limit == 0 {
		*limit = BlobLimit
	}
	if err := inRange("limit", *limit, 1, BlobLimit); err != nil {
		return err
	}
	return inRange("offset", offset, 0, 1<<40)
}

func checkSessionPutBlob(p *SessionPutBlobParams) error { return notEmpty("data", p.Data) }

func checkPrompt(p *TurnPromptParams) error {
	if _, err := decodeBlocks(p.Blocks); err != nil {
		return err
	}
	return notEmpty("id", p.ID)
}

func checkSteer(p *TurnSteerParams) error {
	if _, err := decodeBlocks(p.Blocks); err != nil {
		return err
	}
	return notEmpty("id", p.ID)
}

func notEmpty(member, text string) error {
	if text == "" {
		return problem(member, "must not be empty")
	}
	return nil
}

func inRange(member string, n, least, most int) error {
	switch {
	case n < least:
		return problem(member, "is too small")
	case n > most:
		return problem(member, "is too large")
	}
	return nil
}

// problem returns the error about a member, worded to follow its name.
func problem(member, what string) error { return &wire.FieldError{Field: member, Problem: what} }
