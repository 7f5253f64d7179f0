package file

import "testing"

func TestCheckpoints(t *testing.T) {
	var m checkpoints
	var all []position
	for seq := uint64(1); seq <= 50; seq++ {
		p := position{seq: seq, offset: int64(seq*seq) * 10_000}
		all = append(all, p)
		m.add(p)
	}
	if len(m) < 10 || len(m) > 24 {
		t.Errorf("%d marks in %d bytes", len(m), all[len(all)-1].offset)
	}
	for from := range uint64(60) {
		p := m.lastBefore(from)
		if p.seq != 0 && p.seq >= from {
			t.Errorf("before(%d) is behind record %d", from, p.seq)
		}
		for _, later := range m {
			if later.seq > p.seq && later.seq < from {
				t.Errorf("before(%d) is behind record %d, mark %d is nearer", from, p.seq, later.seq)
			}
		}
	}
}
