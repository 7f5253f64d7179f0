// Package graphics has the images of a conversation: how large they are, and how they get to a terminal that can show
// them. It sends nothing itself, and knows no session.
//
// Terminals with the graphics of kitty get an image once, and show it where certain characters with its number as their
// colour are (placeholders). So an image scrolls as text does, and a program that draws cells needs to know nothing of it.
package graphics
