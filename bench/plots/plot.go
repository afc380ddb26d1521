package main

import (
	"image/color"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// cactus is a plot that has for each algorithm the values of its runs in
// ascending order: how many clients it solves within which cost.
type cactus struct {
	name   string // of the files
	title  string
	unit   string
	curves []curve
}

// curve are the values of one algorithm, in any order.
type curve struct {
	name   string
	values []float64
}

// scaling is a plot of mean time and memory by size.
type scaling struct {
	name  string // of the files
	axis  string
	sizes []size
}

// size are the means of the runs of one size.
type size struct {
	size, runs, timeouts int
	seconds, megabytes   float64
}

// colours tell algorithms apart also for those who see fewer of them (Okabe and
// Ito, 2008).
var colours = []color.Color{
	color.RGBA{0, 114, 178, 255}, color.RGBA{230, 159, 0, 255}, color.RGBA{0, 158, 115, 255}, color.RGBA{204, 121, 167, 255},
	color.RGBA{213, 94, 0, 255}, color.RGBA{86, 180, 233, 255}, color.RGBA{120, 120, 120, 255}, color.RGBA{0, 0, 0, 255},
}

var shapes = []draw.GlyphDrawer{
	draw.CircleGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}, draw.CrossGlyph{},
	draw.PlusGlyph{}, draw.RingGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{},
}

// write draws all plots into dir.
func write(dir string, cactuses []cactus, scalings []scaling) error {
	for _, c := range cactuses {
		p, err := c.plot()
		if err != nil {
			return err
		}
		if err := save(p, dir, "cactus-"+c.name); err != nil {
			return err
		}
	}
	for _, s := range scalings {
		for _, figure := range []string{"time", "memory"} {
			p, err := s.plot(figure)
			if err != nil {
				return err
			}
			if err := save(p, dir, s.name+"-"+figure); err != nil {
				return err
			}
		}
	}
	return nil
}

func save(p *plot.Plot, dir, name string) error {
	for _, ext := range []string{".svg", ".png"} {
		if err := p.Save(16*vg.Centimeter, 11*vg.Centimeter, filepath.Join(dir, name+ext)); err != nil {
			return err
		}
	}
	return nil
}

func (c *cactus) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.title
	p.X.Label.Text = "clients solved"
	p.Y.Label.Text = c.unit
	longest := 0
	for i, curve := range c.curves {
		points := plotter.XYs{}
		for n, v := range slices.Sorted(slices.Values(curve.values)) {
			points = append(points, plotter.XY{X: float64(n + 1), Y: max(v, 1e-6)})
		}
		if len(points) == 0 {
			continue
		}
		longest = max(longest, len(points))
		if err := addCurve(p, curve.name, points, i); err != nil {
			return nil, err
		}
	}
	logarithmic(p)
	p.X.Min, p.X.Max = 0, float64(longest)*1.3 // room for the legend
	p.X.Tick.Marker = counting(longest)
	p.Legend.Top = true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs, p.Legend.YOffs = -vg.Points(10), -vg.Points(6) // off the edges
	return p, nil
}

func (s *scaling) plot(figure string) (*plot.Plot, error) {
	p := plot.New()
	if len(s.sizes) == 0 {
		return p, nil
	}
	p.X.Label.Text = s.axis
	var ticks []plot.Tick
	points := plotter.XYs{}
	for _, size := range s.sizes {
		y := size.seconds
		if figure == "memory" {
			y = size.megabytes
		}
		points = append(points, plotter.XY{X: float64(size.size), Y: max(y, 1e-6)})
		ticks = append(ticks, plot.Tick{Value: float64(size.size), Label: label(size)})
	}
	p.X.Tick.Marker = plot.ConstantTicks(ticks)
	p.Title.Text, p.Y.Label.Text = "Mean time", "seconds"
	if figure == "memory" {
		p.Title.Text, p.Y.Label.Text = "Mean peak memory", "MB"
	}
	if err := addCurve(p, "CC", points, 0); err != nil {
		return nil, err
	}
	logarithmic(p)
	first, last := s.sizes[0].size, s.sizes[len(s.sizes)-1].size
	p.X.Min, p.X.Max = float64(first)-0.5, float64(last)+0.5
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), -vg.Points(6) // off the edges
	return p, nil
}
