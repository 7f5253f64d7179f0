// Package goclient meets the built program with package client.
package goclient

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
