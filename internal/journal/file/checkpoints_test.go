package file

import (
	"testing"

	"parley.dev/parley/internal/journal/chain"
)

func TestCheckpoints(t *testing.T) {
	var m checkpoints
	var all []chain.Position
	for seq := uint64(1); seq <= 50; seq++ {
		p := chain.Position{Seq: seq, Offset: int64(seq*seq) * checkpointInterval / 100}
		all = append(all, p)
		m.add(p)
	}
	if len(m) < 10 || len(m) > 24 {
		t.Errorf("%d marks in %d bytes", len(m), all[len(all)-1].Offset)
	}
	for from := range uint64(60) {
		p := m.lastBefore(from)
		if p.Seq != 0 && p.Seq >= from {
			t.Errorf("before(%d) is after record %d", from, p.Seq)
		}
		for _, later := range m {
			if later.Seq > p.Seq && later.Seq < from {
				t.Errorf("before(%d) is after record %d, mark %d is nearer", from, p.Seq, later.Seq)
			}
		}
	}
}

// TestCheckpointsNear: a client that connects again, and follows a session from its last record on, has little of the journal read.
func TestCheckpointsNear(t *testing.T) {
	var m checkpoints
	const records, size, most = 1000, 1 << 10, 80 << 10
	for seq := uint64(1); seq <= records; seq++ {
		m.add(chain.Position{Seq: seq, Offset: int64(seq) * size})
	}
	if read := records*size - m.lastBefore(records).Offset; read > most {
		t.Errorf("%d bytes are read for the last record, want at most %d", read, most)
	}
}
