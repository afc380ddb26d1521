package driver

import (
	"context"
	"fmt"

	"github.com/txmc/txmc/program/load"
	"github.com/txmc/txmc/report"
)

// What is done with findings: values of Config.Vet.
const (
	VetWarn  = "warn"  // print them, and explore
	VetOff   = "off"   // do not look for any
	VetAlone = "alone" // do not explore; this is txmc vet
)

// vet looks for findings and does nothing else.
func (d *Driver) vet(p *load.Package) error {
	found, err := p.Vet(d.process.Soft)
	if d.interrupted() {
		return context.Canceled
	}
	if err != nil {
		d.Note(Failed)
		// The compiler says better what is wrong with code.
		if _, building := p.Build(d.process.Soft); building != nil {
			err = building
		}
		d.complain(err)
		return nil
	}
	if len(found) > 0 {
		d.Note(Violation)
	}
	for _, f := range found {
		shown := finding(p, f)
		if err := d.Out.Show(shown, shown.String); err != nil {
			return err
		}
	}
	return nil
}

func finding(p *load.Package, f load.Finding) *report.Finding {
	return &report.Finding{
		Type: report.TypeFinding, Schema: report.Schema, Package: p.Path, Check: f.Check, At: f.At, Column: f.Column,
		What: f.What, Effect: f.Effect, Instead: f.Instead,
	}
}

// show prints the warnings. They never keep a program from being explored: what goes
// wrong with them is not an error.
func (d *Driver) show(p *load.Package, w *load.Warnings) error {
	select {
	case <-w.Done():
	case <-d.process.Soft.Done():
		return nil
	}
	if w.Err != nil && d.Verbose {
		d.log("vet is left out: %v", w.Err)
	}
	for _, f := range w.Found {
		if !d.Out.JSON() {
			fmt.Fprint(d.stderr, "txmc: warning: ", finding(p, f))
			continue
		}
		if err := d.Out.Show(finding(p, f), nil); err != nil {
			return err
		}
	}
	return nil
}
