package main

import (
	"fmt"
	"math"
	"strconv"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
)

// label names a size, and how many of its runs did not end.
func label(s size) string {
	if s.timeouts == 0 {
		return strconv.Itoa(s.size)
	}
	return fmt.Sprintf("%d\n(%d of %d timed out)", s.size, s.timeouts, s.runs)
}

// addCurve draws a line with a mark at each point.
func addCurve(p *plot.Plot, name string, points plotter.XYs, i int) error {
	line, marks, err := plotter.NewLinePoints(points)
	if err != nil {
		return err
	}
	line.Color = colours[i%len(colours)]
	line.Width = vg.Points(1.5)
	marks.Color = line.Color
	marks.Shape = shapes[i%len(shapes)]
	marks.Radius = vg.Points(3)
	p.Add(line, marks)
	p.Legend.Add(name, line, marks)
	return nil
}

// logarithmic makes the y axis logarithmic, over whole powers of ten, so that
// there is a label at both ends.
func logarithmic(p *plot.Plot) {
	if p.Y.Min > p.Y.Max {
		p.Y.Min, p.Y.Max = 1, 10
	}
	p.Y.Min = math.Pow(10, math.Floor(math.Log10(p.Y.Min)))
	p.Y.Max = math.Pow(10, math.Ceil(math.Log10(p.Y.Max)))
	if p.Y.Min == p.Y.Max {
		p.Y.Max *= 10
	}
	if p.Y.Min < 1 {
		p.Y.Min *= 1 - 1e-9 // its logarithm, cut to a whole number, is the power's
	}
	p.Y.Scale = plot.LogScale{}
	p.Y.Tick.Marker = plot.LogTicks{Prec: -1}
	p.Add(plotter.NewGrid())
}

// counting labels the whole numbers up to n, or every fifth of them.
func counting(n int) plot.ConstantTicks {
	var ticks plot.ConstantTicks
	for i := 0; i <= n; i++ {
		tick := plot.Tick{Value: float64(i)}
		if n <= 10 || i%5 == 0 {
			tick.Label = strconv.Itoa(i)
		}
		ticks = append(ticks, tick)
	}
	return ticks
}
