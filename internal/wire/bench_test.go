package wire

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

const smallLine = `{"type":"answer","request_id":"r-1","decision":"allow","reason":"listing is fine"}`

func BenchmarkNextSmall(b *testing.B) {
	text := strings.Repeat(smallLine+"\n", 10_000)
	b.SetBytes(int64(len(smallLine) + 1))
	source := strings.NewReader(text)
	r := NewReader(source, 1<<20)
	for b.Loop() {
		_, err := r.Next()
		if err == io.EOF {
			source.Reset(text)
			r.src.Reset(source)
			r.err = nil
		} else if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkNextHuge(b *testing.B) {
	const size = 64 << 20
	text := append(bytes.Repeat([]byte("x"), size), '\n')
	b.SetBytes(size)
	for b.Loop() {
		line, err := NewReader(bytes.NewReader(text), size).Next()
		if err != nil || len(line) != size {
			b.Fatal(len(line), err)
		}
	}
}

func BenchmarkParseObject(b *testing.B) {
	line := []byte(smallLine)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := ParseObject(line, ObjectOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseAndDecode(b *testing.B) {
	line := []byte(smallLine)
	b.ReportAllocs()
	for b.Loop() {
		obj, err := ParseObject(line, ObjectOptions{})
		if err != nil {
			b.Fatal(err)
		}
		var got answer
		if err := obj.Decode(&got); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkParseObjectHuge(b *testing.B) {
	line := []byte(`{"image":"` + strings.Repeat("QUJD", 16<<20) + `"}`)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if _, err := ParseObject(line, ObjectOptions{}); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkWriteLine(b *testing.B) {
	w := NewWriter(io.Discard)
	line := []byte(smallLine)
	b.ReportAllocs()
	for b.Loop() {
		w.WriteLine(line)
	}
}
