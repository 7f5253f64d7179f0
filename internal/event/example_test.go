package event_test

import (
	"encoding/json"
	"fmt"
	"time"

	"parley.dev/parley/internal/event"
)

// A record is one line of a journal.
func ExampleRecord() {
	record := event.Record{
		Seq:   7,
		Time:  time.Date(2026, 11, 21, 6, 40, 0, 0, time.UTC),
		Turn:  "5be01c77a210",
		Event: event.ToolStarted{Call: "call_1", Confined: "landlock"},
	}
	line, err := json.Marshal(record)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(string(line))

	var same event.Record
	if err := json.Unmarshal(line, &same); err != nil {
		fmt.Println(err)
		return
	}
	if started, ok := same.Event.(event.ToolStarted); ok {
		fmt.Println(same.Seq, started.Call)
	}
	// Output:
	// {"seq":7,"time":"2026-11-21T06:40:00Z","turn":"5be01c77a210","kind":"tool_started","data":{"call":"call_1","confined":"landlock"}}
	// 7 call_1
}
