package wasmbin

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"testing"

	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
)

var (
	binary = FuncType{Params: []byte{I32, I32}, Results: []byte{I32}}
	nullar = FuncType{Results: []byte{I32}}
)

// sample is a module with a table of four slots, whose slot 1 holds "sub" and slot 2 "add"; "apply" calls add.
// Its last two slots are for callbacks.
func sample() *Module {
	m := New()
	add := m.AddFunc(binary, []byte{0, 0x20, 0, 0x20, 1, 0x6a, 0x0b})
	sub := m.AddFunc(binary, []byte{0, 0x20, 0, 0x20, 1, 0x6b, 0x0b})
	m.ExportFunc("add", add)
	m.ExportFunc("apply", m.AddFunc(binary, AppendLEB([]byte{0, 0x20, 0, 0x20, 1, 0x10}, uint64(add))))
	m.Bodies[len(m.Bodies)-1] = append(m.Bodies[len(m.Bodies)-1], 0x0b)
	m.SetSection(SectionTable, []byte{1, FuncRef, 0, 3})
	m.SetSection(SectionElement, AppendLEB(AppendLEB([]byte{1, 0, 0x41, 1, 0x0b, 2}, uint64(sub)), uint64(add)))
	m.Exports = append(m.Exports, Export{"__indirect_function_table", KindTable, 0})
	m.SetSection(SectionMemory, []byte{1, 0, 1})
	m.TableMin = 3
	return m
}

// host links a module with a placer of callbacks "f0", "f1", … and gives the main module.
func host(t *testing.T, w []byte, types []FuncType, funcs []api.GoModuleFunc) api.Module {
	t.Helper()
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	b := r.NewHostModuleBuilder("callbacks")
	var names []string
	for i, f := range funcs {
		names = append(names, string(rune('a'+i)))
		b.NewFunctionBuilder().WithGoModuleFunction(f, types[i].Params, types[i].Results).Export(names[i])
	}
	if _, err := b.Instantiate(ctx); err != nil {
		t.Fatal(err)
	}
	main, err := r.InstantiateWithConfig(ctx, w, wazero.NewModuleConfig().WithName("main"))
	if err != nil {
		t.Fatal(err)
	}
	placer, err := r.InstantiateWithConfig(ctx, Placer("callbacks", names, types, 0), wazero.NewModuleConfig().WithName(""))
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, placer, "place"); got != 3 {
		t.Fatalf("callbacks are at slot %d", got)
	}
	return main
}

func call(t *testing.T, m api.Module, name string, args ...uint64) uint64 {
	t.Helper()
	r, err := m.ExportedFunction(name).Call(context.Background(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return r[0]
}

func TestRedirectCallsTheTableAndKeepsTheOldBody(t *testing.T) {
	m := sample()
	if err := m.Redirect("add", 3, -1, 0); err != nil {
		t.Fatal(err)
	}
	multiply := func(_ context.Context, _ api.Module, st []uint64) { st[0] *= st[1] }
	mod := host(t, m.Encode(), []FuncType{binary}, []api.GoModuleFunc{multiply})
	for name, want := range map[string]uint64{"add": 42, "apply": 42, "original_add": 13} {
		if got := call(t, mod, name, 6, 7); got != want {
			t.Errorf("%s(6, 7) = %d, not %d", name, got, want)
		}
	}
}

func TestRedirectWithALimit(t *testing.T) {
	m := sample()
	if err := m.Redirect("add", 3, 4, 100); err != nil {
		t.Fatal(err)
	}
	m.Exports = append(m.Exports, Export{"memory", KindMemory, 0})
	mod := host(t, m.Encode(), []FuncType{binary}, []api.GoModuleFunc{func(_ context.Context, _ api.Module, st []uint64) { st[0] = 1 }})
	for word, want := range map[uint32]uint64{99: 15, 100: 1} {
		mod.Memory().WriteUint32Le(8+4, word)
		if got := call(t, mod, "add", 8, 7); got != want {
			t.Errorf("with word %d: %d, not %d", word, got, want)
		}
	}
}

func TestAnnounceCallsBoth(t *testing.T) {
	m := sample()
	told := FuncType{Params: []byte{I32}}
	if err := m.AnnounceSlot(2, 3, 1, nil, 0); err != nil {
		t.Fatal(err)
	}
	if err := m.AnnounceExport("apply", 3, 1); err != nil {
		t.Fatal(err)
	}
	var heard []uint64
	mod := host(t, m.Encode(), []FuncType{told}, []api.GoModuleFunc{func(_ context.Context, _ api.Module, st []uint64) { heard = append(heard, st[0]) }})
	if got := call(t, mod, "apply", 6, 7); got != 13 || len(heard) != 2 || heard[0] != 6 || heard[1] != 6 {
		t.Errorf("apply(6, 7) = %d, told %v", got, heard)
	}
	if err := sample().AnnounceSlot(0, 3, 1, nil, 0); !errors.Is(err, ErrMalformed) {
		t.Errorf("an empty slot: %v", err)
	}
	if err := sample().AnnounceExport("nothing", 3, 1); !errors.Is(err, ErrMalformed) {
		t.Errorf("no such export: %v", err)
	}
}

func TestMeterCallsNowAndThen(t *testing.T) {
	m := sample()
	m.ExportFunc("nothing", m.AddFunc(FuncType{}, []byte{0, 0x0b}))
	m.SetSection(SectionGlobal, []byte{1, I32, 0, 0x41, 16, 0x0b}) // the address 16
	m.Exports = append(m.Exports, Export{"flag", KindGlobal, 0}, Export{"memory", KindMemory, 0})
	for _, wrong := range [][2]string{{"add", "flag"}, {"nothing", "no flag"}} {
		if err := m.Meter(wrong[0], 3, 4, wrong[1]); !errors.Is(err, ErrMalformed) {
			t.Errorf("%q: %v", wrong, err)
		}
	}
	if err := m.Meter("nothing", 3, 4, "flag"); err != nil {
		t.Fatal(err)
	}
	calls := 0
	mod := host(t, m.Encode(), []FuncType{{}}, []api.GoModuleFunc{func(context.Context, api.Module, []uint64) { calls++ }})
	for i := 1; i <= 9; i++ {
		mod.Memory().WriteUint32Le(16, 0)
		if _, err := mod.ExportedFunction("nothing").Call(t.Context()); err != nil {
			t.Fatal(err)
		}
		if flag, _ := mod.Memory().ReadUint32Le(16); flag != 1 || calls != i/4 {
			t.Errorf("after %d calls: %d to the table, the flag is %d", i, calls, flag)
		}
	}
}

func TestDefineMemory(t *testing.T) {
	m := New()
	m.Imports = append(m.Imports, Import{Module: "env", Name: "memory", Kind: KindMemory, Desc: []byte{1, 2, 9}})
	m.ExportFunc("size", m.AddFunc(nullar, []byte{0, 0x3f, 0, 0x0b}))
	if err := m.DefineMemory(5); err != nil {
		t.Fatal(err)
	}
	mod := host2(t, m.Encode())
	if got := call(t, mod, "size"); got != 2 || mod.Memory() == nil {
		t.Errorf("memory has %d pages", got)
	}
	again, err := Parse(m.Encode())
	if err != nil || !bytes.Equal(again.Encode(), m.Encode()) {
		t.Errorf("the module changes when read and written: %v", err)
	}
}

func host2(t *testing.T, w []byte) api.Module {
	ctx := context.Background()
	r := wazero.NewRuntime(ctx)
	t.Cleanup(func() { r.Close(ctx) })
	mod, err := r.Instantiate(ctx, w)
	if err != nil {
		t.Fatal(err)
	}
	return mod
}

func TestSignedNumbers(t *testing.T) {
	for v, want := range map[int64]string{0: "\x00", 63: "\x3f", 64: "\xc0\x00", -1: "\x7f", -65: "\xbf\x7f", 16384: "\x80\x80\x01"} {
		if got := AppendSLEB(nil, v); string(got) != want {
			t.Errorf("%d is %x, not %x", v, got, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sample().Encode())
	f.Add(Placer("x", []string{"f"}, []FuncType{binary}, 3))
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Parse(b)
		if err != nil {
			if !errors.Is(err, ErrMalformed) {
				t.Errorf("%v", err)
			}
			return
		}
		m.Dylink()
		m.element(2)
	})
}

// The tests of the storage have this flag; here it has no effect, so that it can be
// given for all packages at once.
var _ = flag.String("corpus", "", "directory of recorded statements: see the package storage")
