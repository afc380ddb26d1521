// Snapshots of a process, going back to them, and starting another process from one.
//
// Memory is kept in an image: its pages that are not zero. A process maps the image copy-on-write where
// the system can do that. Then going back costs only the pages that were written, and processes share the
// others. The snapshot also keeps which side modules were linked, and where.

package emscripten

import (
	"fmt"

	"github.com/txmc/txmc/pg/engine/vfs"
	"github.com/txmc/txmc/pg/engine/wasmbin"
)

// Snapshot is the state of a process that runs nothing.
type Snapshot struct {
	image   *image
	files   *vfs.State
	libs    []*linked
	slots   uint32 // size of the table
	ticks   uint64
	tempRet uint64
	stack   uint64 // the stack pointer
}

// Since makes the snapshot's monotonic clock stand where the earlier one's does.
func (s *Snapshot) Since(earlier *Snapshot) { s.ticks = earlier.ticks }

// Bytes is the memory that the snapshot takes.
func (s *Snapshot) Bytes() int64 { return s.image.held }

// Close frees the snapshot. Processes that were started from it must have ended.
func (s *Snapshot) Close() error { return s.image.close() }

// Snapshot keeps the process's state. The process goes on from it.
func (p *Process) Snapshot() (*Snapshot, error) {
	image, err := newImage(p.memory)
	if err != nil {
		return nil, fmt.Errorf("keeping a snapshot of memory: %w", err)
	}
	s := &Snapshot{image: image, files: p.FS.Snapshot(), libs: append([]*linked(nil), p.libs...), ticks: p.ticks, tempRet: p.tempRet,
		stack: p.Must("emscripten_stack_get_current")}
	if s.slots, err = p.extendTable(0); err != nil {
		return nil, err
	}
	return s, p.Restore(s)
}

// Restore goes back to a snapshot that this process took or was started from.
func (p *Process) Restore(s *Snapshot) error {
	if !p.grow(uint64(s.image.size)) {
		return fmt.Errorf("no memory for the snapshot")
	}
	if err := p.memory.restore(s.image); err != nil {
		return fmt.Errorf("going back to a snapshot: %w", err)
	}
	p.FS.Restore(s.files)
	p.libs = append(p.libs[:0], s.libs...)
	p.ticks, p.tempRet = s.ticks, s.tempRet
	_, err := p.Call("_emscripten_stack_restore", s.stack)
	return err
}

// StartFrom makes a process in the state of a snapshot of another process of the program.
func (prog *Program) StartFrom(s *Snapshot, config Config) (*Process, error) {
	config.FS = vfs.New(s.files.Tree())
	p, err := prog.Start(config)
	if err != nil {
		return nil, err
	}
	if err := p.relink(s); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (p *Process) relink(s *Snapshot) error {
	if !p.grow(uint64(s.image.size)) {
		return fmt.Errorf("no memory for the snapshot")
	}
	if _, err := p.Call("__wasm_call_ctors"); err != nil { // sets globals; what it writes to memory is replaced
		return err
	}
	libs := make([]*linked, 0, len(s.libs))
	for _, l := range s.libs {
		if _, err := p.extendTable(l.slot); err != nil {
			return err
		}
		c := &linked{key: l.key, path: l.path, handle: l.handle, funcs: map[string]uint32{}, data: l.data}
		if err := p.linkModule(c); err != nil {
			return err
		}
		p.byBase[c.key] = c
		libs = append(libs, c)
	}
	if _, err := p.extendTable(s.slots); err != nil {
		return err
	}
	if err := p.Restore(s); err != nil {
		return err
	}
	p.libs = libs
	return nil
}

// extendTable makes the table have at least so many slots and gives how many it has.
func (p *Process) extendTable(slots uint32) (uint32, error) {
	have, err := p.placeEmpty(0)
	if err != nil || have >= slots {
		return have, err
	}
	_, err = p.placeEmpty(slots - have)
	return slots, err
}

func (p *Process) placeEmpty(n uint32) (uint32, error) {
	c, err := p.prog.wazero.CompileModule(p.ctx, wasmbin.Placer("", nil, nil, int(n)))
	if err != nil {
		return 0, err
	}
	return p.layOut(c, nil)
}
