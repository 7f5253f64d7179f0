// Package tssdk meets the built program with the TypeScript client of sdk/typescript.
package tssdk

import (
	"testing"

	"parley.dev/parley/internal/transcript"
)

func TestMain(m *testing.M) { transcript.Main(m) }
