package model

import (
	"slices"
	"testing"
)

// TestLooksData: what has been looked at is the same after Data and Read, and of numbers that are missing
// all has been looked at.
func TestLooksData(t *testing.T) {
	var l, m Looks
	l.LookAtOrder(70)
	l.LookAtEntries(3)
	m.LookAtHolders()
	m.Read(l.Data())
	if !slices.Equal(m.Data(), l.Data()) || !m.Order(70) || !m.Entries(3) || m.Order(3) || m.Entries(70) || m.Holders() || m.News() {
		t.Errorf("got %v of %v", m.Data(), l.Data())
	}
	m.Read(l.Data()[:5]) // without entries
	if !m.Order(70) || m.Order(3) || m.Holders() || !m.Entries(70) {
		t.Errorf("got %v of the first five numbers of %v", m.Data(), l.Data())
	}
	if m.Read(nil); !m.Order(3) || !m.Entries(3) || !m.Holders() {
		t.Errorf("got %v of none", m.Data())
	}
}
