package dpor

// noting hands on what happens on a database. A wait ends with an operation of another
// session, and others may run before the one who has waited goes on.
type noting struct {
	note   func(Event) // takes what happens, nil for nobody
	number int         // of events
	waits  map[int]int // sessions that wait: the event that has ended the wait, -1 before it
}

func (d *database) emit(m *moment, e Event) {
	if d.note == nil {
		return
	}
	if d.waits == nil {
		d.waits = map[int]int{}
	}
	e.By = -1
	if by, waited := d.waits[e.Session]; waited && e.Kind == GoesOn {
		e.By = by
	}
	delete(d.waits, e.Session)
	for i, by := range d.waits {
		if by < 0 && !m.rows.Blocked(i) {
			d.waits[i] = d.number
		}
	}
	if e.Kind == Waits {
		d.waits[e.Session] = -1
	}
	d.number++
	d.note(e)
}
