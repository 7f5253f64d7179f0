// Package backendtest is the suite that every driver of a back end passes. The agent in it is the test program of the driver, started
// again: it plays a script that knows no protocol, and a Speaker of the driver's package renders it as frames.
//
// A driver joins with one file in its package, speaker_test.go:
//
//	func TestMain(m *testing.M) { backendtest.Main(m, func(p *backendtest.Player) backendtest.Speaker { return &speaker{p} }) }
//
//	func TestDriver(t *testing.T) {
//		backendtest.Run(t, backendtest.Subject{New: func(o backendtest.Options) backend.Backend {
//			return New(Options{Name: backendtest.Name, Program: o.Program, StartLimit: o.StartLimit, Silence: o.Silence})
//		}})
//	}
//
// and a type speaker, whose Next handles the requests of its protocol up to the next prompt, and whose other methods each write what an agent
// writes for one verb of the script. What an agent of the protocol cannot do, the driver reports in its Info, or returns ErrUnsupported: the
// suite then checks that, and runs no script.
package backendtest
