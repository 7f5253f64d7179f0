package anthropic

import "testing"

func BenchmarkStream(b *testing.B) { subject.Bench(b, 20_000) }
