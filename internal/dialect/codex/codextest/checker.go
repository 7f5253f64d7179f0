package codextest

import (
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// A Checker holds the frames of one connection to the schema, and to the laws that every answer keeps. It is not safe for concurrent
// use.
type Checker struct {
	requests map[string]string // methods of the client's requests that have no answer yet, by id
	turns    map[string]bool   // turns that run, by thread and id
	items    map[string]bool   // items that are not completed, by turn and id
	Problems []string
}

// NewChecker returns a checker that has seen nothing.
func NewChecker() *Checker {
	return &Checker{requests: map[string]string{}, turns: map[string]bool{}, items: map[string]bool{}}
}

// A frame is a line of either side.
type frame struct {
	ID     jsontext.Value `json:"id"`
	Method string         `json:"method"`
	Params jsontext.Value `json:"params"`
	Result jsontext.Value `json:"result"`
	Error  jsontext.Value `json:"error"`
}

// Sent notes a line of the client.
func (c *Checker) Sent(line []byte) {
	var f frame
	if json.Unmarshal(line, &f) == nil && f.Method != "" && f.ID != nil {
		c.requests[string(f.ID)] = f.Method
	}
}

// Received checks a line of the server.
func (c *Checker) Received(line []byte) {
	var f frame
	if err := json.Unmarshal(line, &f); err != nil {
		c.fault(line, "no frame: %v", err)
		return
	}
	doc, err := load()
	if err != nil {
		c.fault(line, "%v", err)
		return
	}
	switch {
	case f.Method != "" && f.ID == nil:
		c.check(doc, "ServerNotification", f, line)
		c.follow(f, line)
	case f.Method != "":
		c.check(doc, "ServerRequest", f, line)
	case f.Error == nil:
		method, asked := c.requests[string(f.ID)]
		if !asked {
			c.fault(line, "an answer to nothing")
		}
		delete(c.requests, string(f.ID))
		if err := doc.fits(doc.results[method], f.Result); err != nil {
			c.fault(line, "the result of %s: %v", method, err)
		}
	default:
		delete(c.requests, string(f.ID))
	}
}

// check holds the params of a frame to the schema.
func (c *Checker) check(doc *document, union string, f frame, line []byte) {
	name, known := doc.params[union][f.Method]
	if !known {
		c.fault(line, "the schema has no %s %s", union, f.Method)
		return
	}
	if err := doc.fits(name, f.Params); err != nil {
		c.fault(line, "%s: %v", f.Method, err)
	}
}

// follow holds turns and items to their order: a turn begins and ends once, nothing of it follows, and its items are completed.
func (c *Checker) follow(f frame, line []byte) {
	var p struct {
		Thread string `json:"threadId"`
		Turn   string `json:"turnId"`
		Item   struct {
			ID string `json:"id"`
		} `json:"item"`
		Whole struct {
			ID string `json:"id"`
		} `json:"turn"`
	}
	_ = json.Unmarshal(f.Params, &p) // it was held to the schema
	turn := p.Thread + "/" + p.Whole.ID
	item := p.Thread + "/" + p.Turn + "/" + p.Item.ID
	switch f.Method {
	case "turn/started":
		c.turns[turn] = true
	case "turn/completed":
		if !c.turns[turn] {
			c.fault(line, "a turn ends that does not run")
		}
		delete(c.turns, turn)
		for open := range c.items {
			if len(open) > len(turn) && open[:len(turn)+1] == turn+"/" {
				c.fault(line, "the turn ends before its item %s", open)
			}
		}
	case "item/started":
		if !c.turns[p.Thread+"/"+p.Turn] {
			c.fault(line, "an item of a turn that does not run")
		}
		c.items[item] = true
	case "item/completed":
		if !c.items[item] {
			c.fault(line, "an item ends that has not begun")
		}
		delete(c.items, item)
	}
}

func (c *Checker) fault(line []byte, format string, args ...any) {
	c.Problems = append(c.Problems, fmt.Sprintf(format, args...)+"\n\t"+string(line))
}
