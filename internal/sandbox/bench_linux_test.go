package sandbox

import (
	"os"
	"testing"
)

// benchProgram is the environment variable that names a built parley. It is then started again
// instead of the test program, so that the benchmark includes the start of the real program.
const benchProgram = "SANDBOX_BENCH_PROGRAM"

// BenchmarkConfined compares `true` in each configuration with `true` alone.
func BenchmarkConfined(b *testing.B) {
	if path := os.Getenv(benchProgram); path != "" {
		defer func(own string) { ownProgram = own }(ownProgram)
		ownProgram = path
	}
	command := Command{Path: "/bin/true", Dir: "/", Confine: Policy{Level: Full}}
	b.Run("full", func(b *testing.B) { benchmark(b, newConfining(b, Options{}), command) })
	for name, o := range configurations {
		b.Run(name, func(b *testing.B) {
			command.Confine = Policy{Level: WorkspaceWrite, Writable: []string{realTemp(b)}}
			benchmark(b, newConfining(b, o), command)
		})
	}
}

func benchmark(b *testing.B, s *Spawner, c Command) {
	for b.Loop() {
		p, err := s.Start(b.Context(), c)
		if err != nil {
			b.Fatal(err)
		}
		if exit := p.Wait(); exit != (Exit{}) {
			b.Fatal(exit)
		}
	}
}
