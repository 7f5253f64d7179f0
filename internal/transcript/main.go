package transcript

import (
	"flag"
	"os"
	"strconv"
	"testing"
)

// programsAtOnce is how many tests that start programs run side by side.
const programsAtOnce = 8

// Main runs the tests of a package that starts the built program, and ends the process.
func Main(m *testing.M) {
	AtOnce(programsAtOnce)
	os.Exit(RemoveBuild(m.Run()))
}

// AtOnce lets n tests of a package run side by side, on any number of processors, unless -parallel says otherwise: those that start
// programs wait more than they work. It parses the flags.
func AtOnce(n int) {
	flag.Parse()
	given := false
	flag.Visit(func(f *flag.Flag) { given = given || f.Name == "test.parallel" })
	if given {
		return
	}
	if err := flag.Set("test.parallel", strconv.Itoa(n)); err != nil {
		panic(err)
	}
}
