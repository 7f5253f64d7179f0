package anthropic

import "testing"

func FuzzStream(f *testing.F) { subject.Fuzz(f) }
