package backendtest

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// scriptVariable has the path of the script that the program plays in place of its tests.
const scriptVariable = "PARLEY_TEST_AGENT_SCRIPT"

// A Player reads and writes the lines of a Speaker, plays the script, and has the state of the agent. The script has a paragraph for each
// prompt, of lines with a verb and its arguments:
//
//	say TEXT, think TEXT          a piece of an answer, of reasoning
//	call ID KIND JSON             a call with its input
//	ask ID                        requests permission, and waits; denied: the line "end ID" follows, and is a failure
//	output ID TEXT                output of a call
//	end ID TEXT, fail ID TEXT     the end of a call
//	compact TEXT                  the context is summarised
//	steer                         waits for a prompt into the turn, and says its text
//	settings                      says the settings of the session
//	hang                          waits for an interrupt, which ends the turn
//	deaf                          reads what comes, and does nothing
//	close                         closes the output, and is deaf from then on
//	exit CODE TEXT                writes a line to standard error, and ends the process
//	noise N                       lines that are no messages
//	long N                        a line of N bytes and more
//	flood N                       pieces of an answer, of 1 KiB; the file SCRIPT.sent has how many, in hundreds, a byte each
//	stop REASON                   the end; without it the reason is end. Twice: the end comes twice
//
// A paragraph that begins with "start" is played before anything is read; it has the verbs exit, deaf and noise.
type Player struct {
	path     string
	script   []string
	in       *bufio.Reader
	out      *os.File
	log      *os.File
	sessions *os.File
	stopped  bool
	Settings Settings
}

// Settings are what can be chosen of the agent of the suite.
type Settings struct {
	Model    string // one of Models
	Thinking string // one of Levels
	Style    string // the option "style": one of Styles
}

// The values of Settings; the first of each holds in a new session.
var (
	Models = []string{"m-1", "m-2"}
	Levels = []string{"low", "high"}
	Styles = []string{"plain", "fancy"}
)

// Summary is the summary of a context that the driver has summarised.
const Summary = "A short story."

func newPlayer(path string) *Player {
	data, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	p := &Player{path: path, in: bufio.NewReader(os.Stdin), out: os.Stdout, Settings: Settings{Models[0], Levels[0], Styles[0]}}
	p.script = strings.Split(strings.TrimSpace(string(data)), "\n\n")
	p.log, p.sessions = appendTo(path+".log"), appendTo(path+".sessions")
	return p
}

func appendTo(path string) *os.File {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		panic(err)
	}
	return f
}

// Read returns the next line of the driver. False: the input has ended.
func (p *Player) Read() (line []byte, ok bool) {
	line, err := p.in.ReadBytes('\n')
	if err != nil {
		return nil, false
	}
	if _, err := p.log.Write(line); err != nil {
		panic(err)
	}
	return line, true
}

// MustRead is Read where the end of the input ends the agent.
func (p *Player) MustRead() []byte {
	line, ok := p.Read()
	if !ok {
		os.Exit(0)
	}
	return line
}

// Write writes a line.
func (p *Player) Write(line string) {
	if _, err := p.out.WriteString(line + "\n"); err != nil {
		os.Exit(0) // the driver has gone
	}
}

// NewSession returns the id of a new session, and stores it for other processes.
func (p *Player) NewSession() string {
	id := "their-" + strconv.Itoa(len(p.all())+1)
	if _, err := p.sessions.WriteString(id + "\n"); err != nil {
		panic(err)
	}
	return id
}

// Has reports whether there is a session.
func (p *Player) Has(session string) bool {
	for _, id := range p.all() {
		if id == session {
			return true
		}
	}
	return false
}

func (p *Player) all() []string {
	data, err := os.ReadFile(p.path + ".sessions")
	if err != nil {
		return nil // they were deleted
	}
	return strings.Fields(string(data))
}

// start plays the paragraph for the start.
func (p *Player) start() {
	if rest, ok := strings.CutPrefix(p.script[0], "start\n"); ok {
		p.script = p.script[1:]
		for line := range strings.Lines(rest) {
			p.process(strings.TrimSpace(line))
		}
	}
}

// process plays a line that needs no protocol. It reports whether the line was one.
func (p *Player) process(line string) bool {
	verb, rest, _ := strings.Cut(line, " ")
	first, text, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(first)
	switch verb {
	case "deaf", "close":
		if verb == "close" {
			p.out.Close()
		}
		for {
			p.MustRead()
		}
	case "exit":
		fmt.Fprintln(os.Stderr, text)
		os.Exit(n)
	case "noise":
		for i := range n {
			p.Write([]string{"this is no message", "[1,2]", "", "null", "\t"}[i%5] + " x")
		}
	case "long":
		p.Write(`{"method":"` + strings.Repeat("x", n) + `"}`)
	default:
		return false
	}
	return true
}

// play plays the paragraph of a prompt.
func (p *Player) play(s Speaker) {
	paragraph := "say Nothing is left to say."
	if len(p.script) > 0 && p.script[0] != "" {
		paragraph, p.script = p.script[0], p.script[1:]
	}
	p.stopped = false
	denied := ""
	for line := range strings.Lines(paragraph) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		id, text, _ := strings.Cut(rest, " ")
		if denied != "" && (verb != "end" || id != denied) {
			continue
		}
		if denied != "" {
			verb, denied = "fail", ""
		}
		switch verb {
		case "ask":
			a := s.Ask(id)
			if a.Cancel {
				s.Stop(StopInterrupted)
				return
			}
			if !a.Allow {
				denied = id
			}
		case "hang":
			s.Hang()
			s.Stop(StopInterrupted)
			return
		case "flood":
			p.flood(s, rest)
		case "settings":
			s.Say(fmt.Sprintf("model %s, thinking %s, style %s", p.Settings.Model, p.Settings.Thinking, p.Settings.Style))
		case "stop":
			s.Stop(rest)
			p.stopped = true
		default:
			if !p.process(line) {
				speak(s, verb, rest, id, text)
			}
		}
	}
	if !p.stopped {
		s.Stop(StopEnd)
	}
}

// speak plays a line that says something.
func speak(s Speaker, verb, rest, id, text string) {
	switch verb {
	case "say":
		s.Say(rest)
	case "think":
		s.Think(rest)
	case "call":
		kind, input, _ := strings.Cut(text, " ")
		s.Call(Call{id, kind, jsontext.Value(input)})
	case "output":
		s.Output(id, text)
	case "end", "fail":
		s.End(id, text, verb == "end")
	case "compact":
		s.Compact(rest)
	case "steer":
		s.Say(s.Steer())
	default:
		panic("no such verb: " + verb)
	}
}

// flood writes pieces of an answer, and counts them in a file.
func (p *Player) flood(s Speaker, number string) {
	n, err := strconv.Atoi(number)
	if err != nil {
		panic(err)
	}
	sent := appendTo(p.path + ".sent")
	piece := strings.Repeat("x", 1<<10)
	for i := range n {
		s.Say(piece)
		if i%floodStep == floodStep-1 {
			if _, err := sent.WriteString("."); err != nil {
				panic(err)
			}
		}
	}
}

// floodStep is how many pieces are counted at a time.
const floodStep = 100

// Quote returns a text as JSON.
func Quote(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(data)
}
