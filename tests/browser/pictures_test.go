package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// mostPicture is how many octets a picture of the docs may have.
const mostPicture = 150_000

// TestPictures takes the pictures of docs/command.md, and looks whether they are small enough.
func TestPictures(t *testing.T) {
	b := openTab(t, startServer(t, "--readonly"), 1160, 800)
	shot := func(name, scheme, last string) { // last is the element at the bottom
		height := b.script("Math.ceil(document.querySelector('" + last + "').getBoundingClientRect().bottom + scrollY + 16)").(float64)
		b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}}))
		var shown []byte
		clip := page.CaptureScreenshot().WithCaptureBeyondViewport(true).WithClip(&page.Viewport{Width: 1160, Height: height, Scale: 1})
		b.do(chromedp.Evaluate("document.activeElement.blur(); ''", nil), chromedp.ActionFunc(func(ctx context.Context) (err error) {
			shown, err = clip.Do(ctx)
			return err
		}))
		small := fewColors(t, shown)
		if len(small) > mostPicture {
			t.Errorf("%s has %d octets", name, len(small))
		}
		if *pictures {
			if err := os.WriteFile(filepath.Join("../../docs/serve", name+".png"), small, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	shot("tables", "light", "main > :last-child")
	b.open("/table?database=nearlyfree&name=orders")
	shot("table", "light", "main > .card")
	b.open("/query")
	b.run("SELECT o.id, c.name, i.what, i.price\nFROM orders o JOIN customer c ON c.id = o.customer JOIN item i ON i.orders = o.id\nWHERE o.customer = 12 AND i.price > 20")
	shot("query", "light", "main")
}

// fewColors gives a PNG of 256 colours: the commonest ones.
func fewColors(t *testing.T, from []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(from))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[color.RGBA]int{}
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			seen[color.RGBAModel.Convert(img.At(x, y)).(color.RGBA)]++
		}
	}
	var all []color.RGBA
	for c := range seen {
		all = append(all, c)
	}
	slices.SortFunc(all, func(a, b color.RGBA) int { return seen[b] - seen[a] })
	palette := make(color.Palette, 0, 256)
	for _, c := range all[:min(256, len(all))] {
		palette = append(palette, c)
	}
	out := image.NewPaletted(img.Bounds(), palette)
	draw.Draw(out, out.Bounds(), img, image.Point{}, draw.Src)
	var small bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&small, out); err != nil {
		t.Fatal(err)
	}
	return small.Bytes()
}
