package terminaltest

import (
	"cmp"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"maps"
	"os"
	"slices"
	"sync"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/go-fonts/dejavu/dejavusansmono"
	"github.com/go-fonts/dejavu/dejavusansmonobold"
	"github.com/go-fonts/dejavu/dejavusansmonoboldoblique"
	"github.com/go-fonts/dejavu/dejavusansmonooblique"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// The size of a cell of a picture, and where the letters stand in it.
const (
	cellWidth  = 9
	cellHeight = 20
	baseline   = 15
	fontSize   = 15
	margin     = 8
)

// A Palette is the default colors of a terminal.
type Palette struct{ Foreground, Background color.RGBA }

// The palettes.
var (
	Dark  = Palette{color.RGBA{0xd8, 0xd8, 0xd8, 0xff}, color.RGBA{0x16, 0x18, 0x1d, 0xff}}
	Light = Palette{color.RGBA{0x22, 0x22, 0x22, 0xff}, color.RGBA{0xfd, 0xfd, 0xfb, 0xff}}
)

// faces are the fonts by weight and slant: regular, bold, italic, both.
var faces = sync.OnceValue(func() (faces [4]font.Face) {
	for i, data := range [][]byte{dejavusansmono.TTF, dejavusansmonobold.TTF, dejavusansmonooblique.TTF, dejavusansmonoboldoblique.TTF} {
		parsed, err := opentype.Parse(data)
		if err == nil {
			faces[i], err = opentype.NewFace(parsed, &opentype.FaceOptions{Size: fontSize, DPI: 72, Hinting: font.HintingFull})
		}
		if err != nil {
			panic(err) // the fonts are part of the program
		}
	}
	return faces
})

// WritePNG writes a picture of the screen to a file.
func (s *Screen) WritePNG(path string, palette Palette) {
	s.t.Helper()
	picture := reduce(s.picture(palette))
	file, err := os.Create(path)
	if err != nil {
		s.t.Fatal(err)
	}
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(file, picture); err != nil {
		s.t.Error(err)
	}
	if err := file.Close(); err != nil {
		s.t.Error(err)
	}
}

// picture draws the cells.
func (s *Screen) picture(palette Palette) *image.RGBA {
	columns, rows := s.Size()
	picture := image.NewRGBA(image.Rect(0, 0, columns*cellWidth+2*margin, rows*cellHeight+2*margin))
	draw.Draw(picture, picture.Bounds(), image.NewUniform(palette.Background), image.Point{}, draw.Src)
	for y := range rows {
		for x := 0; x < columns; {
			cell := s.Cell(x, y)
			drawCell(picture, margin+x*cellWidth, margin+y*cellHeight, cell, palette)
			x += max(cell.Width, 1)
		}
	}
	if x, y, shown := s.Cursor(); shown {
		fill(picture, margin+x*cellWidth, margin+y*cellHeight+cellHeight-3, cellWidth, 2, palette.Foreground)
	}
	return picture
}

// exactColors is how many colors reduce leaves as they are: those of areas. The others are of the edges of letters.
const exactColors = 64

// reduce returns a picture with at most 256 colors, which is a third of the size.
func reduce(picture *image.RGBA) *image.Paletted {
	counts := map[color.RGBA]int{}
	for y := range picture.Rect.Dy() {
		for x := range picture.Rect.Dx() {
			counts[picture.RGBAAt(x, y)]++
		}
	}
	byCount := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	reduced := image.NewPaletted(picture.Rect, nil)
	round := func(v uint8) uint8 { return (v/32)*32 + 16 }
	for i, c := range byCount {
		if i >= exactColors {
			c = color.RGBA{round(c.R), round(c.G), round(c.B), 0xff}
		}
		if len(reduced.Palette) < 256 && !slices.Contains(reduced.Palette, color.Color(c)) {
			reduced.Palette = append(reduced.Palette, c)
		}
	}
	draw.Draw(reduced, reduced.Rect, picture, image.Point{}, draw.Src)
	return reduced
}

func drawCell(picture *image.RGBA, x, y int, cell uv.Cell, palette Palette) {
	foreground, background := color.Color(palette.Foreground), color.Color(palette.Background)
	if cell.Style.Fg != nil {
		foreground = cell.Style.Fg
	}
	if cell.Style.Bg != nil {
		background = cell.Style.Bg
	}
	if cell.Style.Attrs&uv.AttrReverse != 0 {
		foreground, background = background, foreground
	}
	if cell.Style.Attrs&uv.AttrFaint != 0 {
		foreground = mix(foreground, background)
	}
	width := max(cell.Width, 1) * cellWidth
	fill(picture, x, y, width, cellHeight, background)
	if cell.Style.Underline != 0 {
		fill(picture, x, y+cellHeight-3, width, 1, foreground)
	}
	if cell.Style.Attrs&uv.AttrStrikethrough != 0 {
		fill(picture, x, y+cellHeight/2, width, 1, foreground)
	}
	face := 0
	if cell.Style.Attrs&uv.AttrBold != 0 {
		face |= 1
	}
	if cell.Style.Attrs&uv.AttrItalic != 0 {
		face |= 2
	}
	if cell.Content == "" || cell.Content == " " || drawLines(picture, x, y, cell.Content, foreground) {
		return
	}
	d := font.Drawer{Dst: picture, Src: image.NewUniform(foreground), Face: faces()[face], Dot: fixed.P(x, y+baseline)}
	d.DrawString(cell.Content)
}

// drawLines draws the characters that fill a cell, so that they meet those of the next one. False: it is none of them.
func drawLines(picture *image.RGBA, x, y int, content string, c color.Color) bool {
	middleX, middleY := x+cellWidth/2, y+cellHeight/2
	left := func() { fill(picture, x, middleY, middleX-x+1, 1, c) }
	right := func() { fill(picture, middleX, middleY, x+cellWidth-middleX, 1, c) }
	up := func() { fill(picture, middleX, y, 1, middleY-y+1, c) }
	down := func() { fill(picture, middleX, middleY, 1, y+cellHeight-middleY, c) }
	parts, ok := map[string][]func(){
		"─": {left, right}, "│": {up, down}, "┌": {right, down}, "┐": {left, down}, "└": {right, up}, "┘": {left, up},
		"╭": {right, down}, "╮": {left, down}, "╰": {right, up}, "╯": {left, up},
		"├": {up, down, right}, "┤": {up, down, left}, "┬": {left, right, down}, "┴": {left, right, up}, "┼": {left, right, up, down},
		"▌": {func() { fill(picture, x, y, cellWidth/2, cellHeight, c) }},
		"▎": {func() { fill(picture, x, y, 2, cellHeight, c) }},
		"▏": {func() { fill(picture, x, y, 1, cellHeight, c) }},
		"█": {func() { fill(picture, x, y, cellWidth, cellHeight, c) }},
		"┃": {func() { fill(picture, middleX, y, 2, cellHeight, c) }},
		"━": {func() { fill(picture, x, middleY, cellWidth, 2, c) }},
		"┆": {func() {
			fill(picture, middleX, y, 1, cellHeight/3, c)
			fill(picture, middleX, y+cellHeight/2, 1, cellHeight/3, c)
		}},
	}[content]
	for _, part := range parts {
		part()
	}
	return ok
}

func fill(picture *image.RGBA, x, y, width, height int, c color.Color) {
	draw.Draw(picture, image.Rect(x, y, x+width, y+height), image.NewUniform(c), image.Point{}, draw.Src)
}

// mix returns the color between two.
func mix(a, b color.Color) color.Color {
	ar, ag, ab, _ := a.RGBA()
	br, bg, bb, _ := b.RGBA()
	return color.RGBA{uint8((2*ar + br) / 3 >> 8), uint8((2*ag + bg) / 3 >> 8), uint8((2*ab + bb) / 3 >> 8), 0xff}
}
