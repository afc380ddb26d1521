// What only Linux has: files in memory, and finding the written pages of a mapping.
//
// The image is mapped copy-on-write. A page that the process has ever written is a page of its
// own, not the file's. The kernel tells which pages these are (ioctl PAGEMAP_SCAN, or
// /proc/self/pagemap before Linux 6.7). Going back copies these from the image: they stay the
// process's own, so that writing them again costs no fault. When there are too many of them they
// are dropped instead.

package emscripten

import (
	"encoding/binary"
	"os"
	"unsafe"

	"golang.org/x/sys/unix"
)

func anonymousFile() (*os.File, error) {
	fd, err := unix.MemfdCreate("txmc", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), "memory"), nil
}

// tracker finds a process's own pages.
type tracker struct {
	pagemap *os.File
	regions []pageRegion
	noScan  bool // the kernel has no PAGEMAP_SCAN
}

// pageRegion is struct page_region (linux/fs.h).
type pageRegion struct{ start, end, categories uint64 }

// scanArg is struct pm_scan_arg (linux/fs.h).
type scanArg struct {
	size, flags, start, end, walkEnd, vec, vecLen, maxPages uint64
	inverted, mask, anyOf, returned                         uint64
}

const (
	pagemapScan   = 0xc0606610 // _IOWR('f', 16, struct pm_scan_arg)
	pageIsFile    = 1 << 2
	pageIsPresent = 1 << 3
	pageIsSwapped = 1 << 4
	maxRegions    = 4096
	maxOwnPages   = 4096 // more are dropped: it is cheaper then
)

func (t *tracker) close() {
	if t.pagemap != nil {
		t.pagemap.Close()
	}
}

// putBack makes the first bytes of memory, mapped from the image, be the image's again.
func (m *memory) putBack(to *image, size int) error {
	regions, ok := m.tracker.own(m.all[:size], maxOwnPages)
	if !ok {
		return unix.Madvise(m.all[:size], unix.MADV_DONTNEED)
	}
	base := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(m.all))))
	for _, r := range regions {
		copy(m.all[r.start-base:r.end-base], to.view[r.start-base:])
	}
	return nil
}

// own finds the pages of b that are not the mapped file's. It gives up where there are more than most.
func (t *tracker) own(b []byte, most int) ([]pageRegion, bool) {
	if t.pagemap == nil {
		f, err := os.Open("/proc/self/pagemap")
		if err != nil {
			return nil, false
		}
		t.pagemap, t.regions = f, make([]pageRegion, maxRegions)
	}
	start := uint64(uintptr(unsafe.Pointer(unsafe.SliceData(b))))
	if !t.noScan {
		a := scanArg{size: uint64(unsafe.Sizeof(scanArg{})), start: start, end: start + uint64(len(b)),
			vec: uint64(uintptr(unsafe.Pointer(unsafe.SliceData(t.regions)))), vecLen: maxRegions, maxPages: uint64(most),
			inverted: pageIsFile, mask: pageIsFile, anyOf: pageIsPresent | pageIsSwapped, returned: pageIsPresent}
		n, _, errno := unix.Syscall(unix.SYS_IOCTL, t.pagemap.Fd(), pagemapScan, uintptr(unsafe.Pointer(&a)))
		if errno == 0 {
			return t.regions[:n], a.walkEnd == a.end
		}
		t.noScan = true
	}
	return t.ownByEntry(start, len(b), most)
}

// ownByEntry reads an entry of /proc/self/pagemap for each page (Documentation/admin-guide/mm/pagemap.rst).
func (t *tracker) ownByEntry(start uint64, size, most int) ([]pageRegion, bool) {
	const present, swapped, file = 1 << 63, 1 << 62, 1 << 61
	entries := make([]byte, size/imagePage*8)
	if _, err := t.pagemap.ReadAt(entries, int64(start/imagePage*8)); err != nil {
		return nil, false
	}
	regions := t.regions[:0]
	for i := 0; i < len(entries); i += 8 {
		e := binary.LittleEndian.Uint64(entries[i:])
		if e&(present|swapped) == 0 || e&file != 0 {
			continue
		}
		if len(regions) == min(maxRegions, most) {
			return nil, false
		}
		at := start + uint64(i/8)*imagePage
		regions = append(regions, pageRegion{start: at, end: at + imagePage})
	}
	return regions, true
}
