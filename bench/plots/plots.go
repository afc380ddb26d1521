// Package plots draws the results of the experiments as the paper does: cactus
// plots (figure 14) and scaling plots (figure 15), as SVG and PNG.
package plots

import (
	"image/color"
	"path/filepath"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Cactus is a plot that has for each algorithm the values of its runs in
// ascending order: how many clients it solves within which cost.
type Cactus struct {
	Name   string // of the files
	Title  string
	Unit   string
	Curves []Curve
}

// Curve are the values of one algorithm, in any order.
type Curve struct {
	Name   string
	Values []float64
}

// Scaling is a plot of mean time and memory by size.
type Scaling struct {
	Name  string // of the files
	Axis  string
	Sizes []Size
}

// Size are the means of the runs of one size.
type Size struct {
	Size, Runs, Timeouts int
	Seconds, Megabytes   float64
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

// Write draws all plots into dir.
func Write(dir string, cactus []Cactus, scaling []Scaling) error {
	for _, c := range cactus {
		p, err := c.plot()
		if err != nil {
			return err
		}
		if err := save(p, dir, "cactus-"+c.Name); err != nil {
			return err
		}
	}
	for _, s := range scaling {
		for _, figure := range []string{"time", "memory"} {
			p, err := s.plot(figure)
			if err != nil {
				return err
			}
			if err := save(p, dir, s.Name+"-"+figure); err != nil {
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

func (c *Cactus) plot() (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text = c.Title
	p.X.Label.Text = "clients solved"
	p.Y.Label.Text = c.Unit
	longest := 0
	for i, curve := range c.Curves {
		points := plotter.XYs{}
		for n, v := range slices.Sorted(slices.Values(curve.Values)) {
			points = append(points, plotter.XY{X: float64(n + 1), Y: max(v, 1e-6)})
		}
		if len(points) == 0 {
			continue
		}
		longest = max(longest, len(points))
		if err := addCurve(p, curve.Name, points, i); err != nil {
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

func (s *Scaling) plot(figure string) (*plot.Plot, error) {
	p := plot.New()
	if len(s.Sizes) == 0 {
		return p, nil
	}
	p.X.Label.Text = s.Axis
	var ticks []plot.Tick
	points := plotter.XYs{}
	for _, size := range s.Sizes {
		y := size.Seconds
		if figure == "memory" {
			y = size.Megabytes
		}
		points = append(points, plotter.XY{X: float64(size.Size), Y: max(y, 1e-6)})
		ticks = append(ticks, plot.Tick{Value: float64(size.Size), Label: label(size)})
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
	first, last := s.Sizes[0].Size, s.Sizes[len(s.Sizes)-1].Size
	p.X.Min, p.X.Max = float64(first)-0.5, float64(last)+0.5
	p.Legend.Left, p.Legend.Top = true, true
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(10), -vg.Points(6) // off the edges
	return p, nil
}
