// Changes to functions of a module: another body that calls the table, with the old one kept.

package wasmbin

import (
	"fmt"
	"slices"
)

// exported is the number of an exported function among the functions that the module defines.
func (m *Module) exported(name string) (int, error) {
	i := slices.IndexFunc(m.Exports, func(e Export) bool { return e.Kind == KindFunc && e.Name == name })
	if i < 0 {
		return 0, fmt.Errorf("%w: no export %s", ErrMalformed, name)
	}
	own := int(m.Exports[i].Index) - m.ImportedFuncs()
	if own < 0 || own >= len(m.Funcs) {
		return 0, fmt.Errorf("%w: %s is not defined here", ErrMalformed, name)
	}
	return own, nil
}

// Redirect replaces the body of the exported function name by a call of the table's slot with the same
// arguments. The old body is exported as "original_"+name. With wordAt >= 0 the old body is still used
// where the word at the first argument plus wordAt is below limit.
func (m *Module) Redirect(name string, slot uint32, wordAt int, limit uint32) error {
	own, err := m.exported(name)
	if err != nil {
		return err
	}
	typ := m.Types[m.Funcs[own]]
	old := m.AddFunc(typ, m.Bodies[own])
	m.ExportFunc("original_"+name, old)
	call := AppendSLEB(append(Args(typ), 0x41), int64(slot))
	call = append(AppendLEB(append(call, 0x11), uint64(m.Funcs[own])), 0)
	body := []byte{0}
	if wordAt >= 0 {
		body = append(AppendLEB(append(body, 0x20, 0, 0x28, 2), uint64(wordAt)), 0x41)
		body = append(AppendSLEB(body, int64(limit)), 0x49, 0x04, blockType(typ)) // i32.lt_u, if
		body = AppendLEB(append(append(body, Args(typ)...), 0x10), uint64(old))
		body = append(append(append(body, 0x05), call...), 0x0b)
	} else {
		body = append(body, call...)
	}
	m.Bodies[own] = append(body, 0x0b)
	return nil
}

func blockType(t FuncType) byte {
	if len(t.Results) == 0 {
		return 0x40
	}
	return t.Results[0]
}

// AnnounceExport lets an exported function call the table's slot with its first params arguments, and go on.
func (m *Module) AnnounceExport(name string, slot uint32, params int) error {
	own, err := m.exported(name)
	if err != nil {
		return err
	}
	m.announce(own, slot, params, nil, 0)
	return nil
}

// AnnounceUser is AnnounceExport, but for calls whose first argument is below limit.
func (m *Module) AnnounceUser(name string, slot uint32, params int, limit uint32) error {
	own, err := m.exported(name)
	if err != nil {
		return err
	}
	m.announce(own, slot, params, []uint32{}, limit)
	return nil
}

// AnnounceSlot does the same to the function that stands in a slot of the table. The call is left out when the
// word that is found by following the pointers at path from the first argument is below limit.
func (m *Module) AnnounceSlot(from, slot uint32, params int, path []uint32, limit uint32) error {
	f, err := m.element(from)
	if err != nil {
		return err
	}
	own := int(f) - m.ImportedFuncs()
	if own < 0 || own >= len(m.Funcs) || len(m.Types[m.Funcs[own]].Params) < params {
		return fmt.Errorf("%w: slot %d holds another function", ErrMalformed, from)
	}
	m.announce(own, slot, params, path, limit)
	return nil
}

func (m *Module) announce(own int, slot uint32, params int, path []uint32, limit uint32) {
	typ := m.Types[m.Funcs[own]]
	old := m.AddFunc(typ, m.Bodies[own])
	told := FuncType{Params: typ.Params[:params]}
	var body []byte
	if path != nil {
		body = append(body, 0x20, 0)
		for _, at := range path {
			body = AppendLEB(append(body, 0x28, 2), uint64(at))
		}
		body = append(AppendSLEB(append(body, 0x41), int64(limit)), 0x4f, 0x04, 0x40) // i32.ge_u, if
	}
	body = AppendSLEB(append(append(body, Args(told)...), 0x41), int64(slot))
	body = append(AppendLEB(append(body, 0x11), uint64(m.TypeIndex(told))), 0)
	if path != nil {
		body = append(body, 0x0b)
	}
	body = AppendLEB(append(append(body, Args(typ)...), 0x10), uint64(old))
	m.Bodies[own] = append(append([]byte{0}, body...), 0x0b)
}

// Meter counts the calls of an exported function that has no parameters and no results. Whenever
// that many calls were made (every), the function first calls the table's slot, and then sets a
// word to 1. The exported global flag has the address of this word.
func (m *Module) Meter(name string, slot, every uint32, flag string) error {
	own, err := m.exported(name)
	if err != nil {
		return err
	}
	typ := m.Types[m.Funcs[own]]
	at := slices.IndexFunc(m.Exports, func(e Export) bool { return e.Kind == KindGlobal && e.Name == flag })
	if at < 0 || !typ.Equal(FuncType{}) {
		return fmt.Errorf("%w: %s or %s is of another type", ErrMalformed, name, flag)
	}
	left, err := m.addCounter(every)
	if err != nil {
		return err
	}
	old := m.AddFunc(typ, m.Bodies[own])
	body := append(AppendLEB([]byte{0, 0x23}, left), 0x41, 1, 0x6b, 0x24) // left--
	body = AppendLEB(append(AppendLEB(body, left), 0x23), left)
	body = AppendSLEB(append(body, 0x45, 0x04, 0x40, 0x41), int64(every)) // if left == 0: left = every, call
	body = AppendSLEB(append(AppendLEB(append(body, 0x24), left), 0x41), int64(slot))
	body = append(AppendLEB(append(body, 0x11), uint64(m.Funcs[own])), 0, 0x0b)
	body = append(AppendLEB(append(body, 0x10), uint64(old)), 0x23)
	m.Bodies[own] = append(AppendLEB(body, uint64(m.Exports[at].Index)), 0x41, 1, 0x36, 2, 0, 0x0b) // *flag = 1
	return nil
}

// Quietly wraps the function in a slot of the table, which must have as many parameters. While it runs, the word
// whose address is in the exported global flag is 0; after it the word is 1.
func (m *Module) Quietly(slot uint32, params int, flag string) error {
	f, err := m.element(slot)
	if err != nil {
		return err
	}
	own := int(f) - m.ImportedFuncs()
	if own < 0 || own >= len(m.Funcs) || len(m.Types[m.Funcs[own]].Params) != params {
		return fmt.Errorf("%w: slot %d holds another function", ErrMalformed, slot)
	}
	at := slices.IndexFunc(m.Exports, func(e Export) bool { return e.Kind == KindGlobal && e.Name == flag })
	if at < 0 {
		return fmt.Errorf("%w: no %s", ErrMalformed, flag)
	}
	typ := m.Types[m.Funcs[own]]
	old := m.AddFunc(typ, m.Bodies[own])
	set := func(body []byte, value byte) []byte {
		return append(AppendLEB(append(body, 0x23), uint64(m.Exports[at].Index)), 0x41, value, 0x36, 2, 0)
	}
	body := append(set([]byte{0}, 0), Args(typ)...)
	m.Bodies[own] = append(set(AppendLEB(append(body, 0x10), uint64(old)), 1), 0x0b)
	return nil
}

// addCounter adds a variable global of type i32 and gives its index.
func (m *Module) addCounter(value uint32) (uint64, error) {
	i := slices.IndexFunc(m.Sections, func(s Section) bool { return s.ID == SectionGlobal })
	if i < 0 {
		return 0, fmt.Errorf("%w: no section of globals", ErrMalformed)
	}
	r := &reader{b: m.Sections[i].Body}
	n := uint64(r.count())
	if r.err != nil {
		return 0, r.err
	}
	body := append(AppendLEB(nil, n+1), r.b[r.p:]...)
	m.Sections[i].Body = append(AppendSLEB(append(body, I32, 1, 0x41), int64(value)), 0x0b)
	for _, im := range m.Imports {
		if im.Kind == KindGlobal {
			n++
		}
	}
	return n, nil
}

// element is the function that an active element segment puts into a slot of the table.
func (m *Module) element(slot uint32) (uint32, error) {
	i := slices.IndexFunc(m.Sections, func(s Section) bool { return s.ID == SectionElement })
	if i < 0 {
		return 0, fmt.Errorf("%w: no element section", ErrMalformed)
	}
	r := &reader{b: m.Sections[i].Body}
	for n := r.count(); n > 0 && r.err == nil; n-- {
		if r.leb() != 0 || r.byte() != 0x41 { // active, at i32.const
			break
		}
		base := r.leb() // not negative, and small enough that the sign does not matter
		if r.byte() != 0x0b {
			break
		}
		for i := range uint32(r.count()) {
			if f := r.leb(); base+i == slot {
				return f, r.err
			}
		}
	}
	return 0, fmt.Errorf("%w: nothing known of slot %d of the table", ErrMalformed, slot)
}
