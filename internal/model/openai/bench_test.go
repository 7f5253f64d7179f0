package openai

import "testing"

func BenchmarkChat(b *testing.B)      { chatSubject.Bench(b, 20_000) }
func BenchmarkResponses(b *testing.B) { responsesSubject.Bench(b, 20_000) }
