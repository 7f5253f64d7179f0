package openai

import "testing"

func FuzzChatStream(f *testing.F) { chatSubject.Fuzz(f) }

func FuzzResponsesStream(f *testing.F) { responsesSubject.Fuzz(f) }
