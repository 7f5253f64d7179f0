// Package record has the records of sessions as Go types: what a host sends to package client, and what package parley
// yields to the program that embeds it.
//
// A [Record] has a number and the name of its kind. [Record.Event] returns what has happened as one of the types of this
// package:
//
//	event, err := rec.Event()
//	if err != nil {
//		return err
//	}
//	switch e := event.(type) {
//	case record.TextDelta:
//		fmt.Print(e.Text)
//	case record.TurnEnded:
//		fmt.Println(e.Reason)
//	}
//
// Kinds without a type here are returned as [Other], and may get a type in a later version. Members that this package does
// not know are ignored, so that a newer host can add some. docs/journal.md describes all kinds and members.
package record
