// Package format reads and writes recorded histories in the formats of the tools
// that record and check them.
package format

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"

	"github.com/txmc/txmc/history"
)

// Format is a way to write histories down.
type Format struct {
	Name string // as --from and --to name it
	What string // in a line
	// pattern selects the files of a folder, a session each; "" for a single file.
	pattern string

	detect func(head []byte) bool // head begins the file, without compression
	read   func(*source, history.Sink) error
	write  func(io.Writer) writer // nil when it cannot be written
}

// Formats lists the formats, in the order in which they are tried.
func Formats() []*Format { return slices.Clone(formats) }

var formats = []*Format{
	{Name: "txmc", What: "JSON lines of this project, which say everything", detect: looksOwn, read: readOwn, write: newOwn},
	{Name: "plume", What: "text of Plume and PolySI: w(key,value,session,transaction)", detect: looksPlume, read: readPlume, write: newPlume},
	{Name: "awdit", What: "text of AWDIT: w key value, ----- and =====", detect: looksAWDIT, read: readAWDIT, write: newAWDIT},
	{Name: "dbcop", What: "binary history.bincode of dbcop, PolySI and Cobra", detect: looksBincode, read: readBincode, write: newBincode},
	{Name: "dbcop-yaml", What: "the same as YAML", detect: looksYAML, read: readYAML},
	{Name: "dbcop-json", What: "JSON of dbcop since 2026", detect: looksDbcopJSON, read: readDbcopJSON, write: newDbcopJSON},
	{Name: "dbcop-text", What: "text of dbcop since 2026: [x:=1 y==2]", detect: looksDbcopText, read: readDbcopText, write: newDbcopText},
	{Name: "cobra", What: "folder of binary logs T*.log", pattern: "T*.log", read: readCobra},
	{Name: "viper", What: "folder of JSON logs J*.log", pattern: "J*.log", read: readViper},
	{Name: "timekiller", What: "JSON with start and commit timestamps", detect: looksTimekiller, read: readTimekiller, write: newTimekiller},
	{Name: "elle", What: "EDN or JSON of Jepsen, Elle and elle-cli", detect: looksElle, read: readElle, write: newElle},
	{Name: "jepsen-log", What: "Jepsen's log of a test of a register: process, type, function and value", detect: looksJepsenLog, read: readJepsenLog},
	{Name: "elle-text", What: "lists as text: session transaction A key value", detect: looksElleText, read: readElleText},
}

// Folder reports whether a history is a folder of logs.
func (f *Format) Folder() bool { return f.pattern != "" }

// ByName finds a format; the error names them all.
func ByName(name string) (*Format, error) {
	var names []string
	for _, f := range formats {
		if f.Name == strings.ToLower(name) {
			return f, nil
		}
		names = append(names, f.Name)
	}
	return nil, fmt.Errorf("unknown format %q: the formats are %s", name, strings.Join(names, ", "))
}

// Detect finds out the format of a file or of a folder of logs. The error is
// [ErrUnknown], in a [history.FileError], when it is none of those that are known.
func Detect(path string) (*Format, error) {
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		for _, f := range formats {
			if logs, _ := f.logs(path); f.pattern != "" && len(logs) > 0 {
				return f, nil
			}
		}
		return nil, history.Errorf(path, "no logs T*.log or J*.log in this folder")
	}
	s, err := open(context.Background(), path)
	if err != nil {
		return nil, err
	}
	defer s.close()
	head, err := s.Peek(peeked)
	if err != nil && err != io.EOF && !errors.Is(err, bufio.ErrBufferFull) {
		return nil, s.failed(err)
	}
	if len(head) == 0 {
		return nil, history.Errorf(path, "the file is empty: there is no history in it")
	}
	for _, f := range formats {
		if f.detect != nil && f.detect(head) {
			return f, nil
		}
	}
	return nil, &history.FileError{File: path, Err: ErrUnknown}
}

// peeked is how much of a file tells its format, in bytes.
const peeked = 4096

// Read reads the history at path, a file, compressed by gzip or zstd or not, or a
// folder of logs. It fails with an [*Error] where the file is not what the format
// asks for, and with the sink's error where that fails. The end of ctx ends it, with
// that error.
func (f *Format) Read(ctx context.Context, path string, to history.Sink) error {
	paths := []string{path}
	if info, err := os.Stat(path); err != nil {
		return err
	} else if info.IsDir() != (f.pattern != "") {
		return history.Errorf(path, "the format %s is %s", f.Name, f.What)
	}
	if f.pattern != "" {
		var err error
		if paths, err = f.logs(path); err != nil {
			return err
		}
	}
	var d *folder
	if f.pattern != "" {
		d = &folder{ctx: ctx, logs: paths}
	}
	for _, p := range paths {
		if err := f.readFile(ctx, p, d, to); err != nil {
			return cmp.Or(ctx.Err(), err)
		}
	}
	return nil
}

func (f *Format) readFile(ctx context.Context, path string, d *folder, to history.Sink) error {
	s, err := open(ctx, path)
	if err != nil {
		return err
	}
	defer s.close()
	s.folder = d
	return f.read(s, to)
}

// logs lists the logs of a folder, or of the one named json in it, those with
// smaller numbers first.
func (f *Format) logs(dir string) ([]string, error) {
	for _, d := range []string{dir, filepath.Join(dir, "json")} {
		list, err := filepath.Glob(filepath.Join(d, f.pattern))
		if err != nil {
			return nil, err
		}
		if len(list) > 0 {
			slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) })
			return list, nil
		}
	}
	return nil, history.Errorf(dir, "no %s in this folder", f.pattern)
}

// Beginnings of compressed files.
var (
	gzipped     = []byte{0x1f, 0x8b}
	zstandarded = []byte{0x28, 0xb5, 0x2f, 0xfd}
)

// Compressed reports whether a file is compressed by gzip or zstd.
func Compressed(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 4)
	n, _ := io.ReadFull(f, head)
	return bytes.HasPrefix(head[:n], gzipped) || bytes.Equal(head[:n], zstandarded)
}

// source is a file that is read.
type source struct {
	*bufio.Reader
	name string
	file *os.File
	done func()
	keyNames

	folder *folder // that it is a log of, or nil
}

// newText reads a text.
func newText(text string) *bufio.Reader { return bufio.NewReader(strings.NewReader(text)) }

// folder is what the logs of a folder have in common.
type folder struct {
	ctx  context.Context
	logs []string

	hashes   map[keyHash]*hashed // of reads that know nothing else, once one was met
	initials map[int64]bool      // the keys among them whose initial value was read too
}

// interruptible is a file whose reading ends with a context.
type interruptible struct {
	ctx  context.Context
	from io.Reader
}

func (r interruptible) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.from.Read(p)
}

// byteOrderMark may begin a text in UTF-8, and says nothing.
const byteOrderMark = "\ufeff"

// open opens a file and undoes its compression.
func open(ctx context.Context, path string) (s *source, err error) {
	// A pipe would be waited for without end, and what is judged is read twice.
	if info, err := os.Stat(path); err != nil {
		return nil, err
	} else if info.IsDir() {
		return nil, history.Errorf(path, "expected a file, this is a folder")
	} else if !info.Mode().IsRegular() {
		return nil, history.Errorf(path, "expected a file, this is a pipe, a device or the like: write the history to a file first")
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s = &source{Reader: bufio.NewReaderSize(interruptible{ctx, file}, 1<<16), name: path, file: file, done: func() {}}
	defer func() {
		if mark, _ := s.Peek(len(byteOrderMark)); err == nil && string(mark) == byteOrderMark {
			s.Discard(len(mark))
		}
	}()
	magic, _ := s.Peek(4)
	switch {
	case bytes.HasPrefix(magic, gzipped):
		z, err := gzip.NewReader(s.Reader)
		if err != nil {
			file.Close()
			return nil, s.failed(err)
		}
		s.Reader = bufio.NewReaderSize(interruptible{ctx, z}, 1<<16)
	case bytes.Equal(magic, zstandarded):
		z, err := zstd.NewReader(s.Reader, zstd.WithDecoderMaxMemory(1<<30), zstd.WithDecoderConcurrency(1))
		if err != nil {
			file.Close()
			return nil, s.failed(err)
		}
		s.done = z.Close
		s.Reader = bufio.NewReaderSize(interruptible{ctx, z}, 1<<16)
	}
	return s, nil
}

func (s *source) close() {
	s.done()
	s.file.Close()
}

// failed is an error of reading.
func (s *source) failed(err error) error {
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("the file ends early")
	}
	return &history.FileError{File: s.name, Err: err}
}

func (s *source) errorAt(line int, format string, args ...any) error {
	return &history.Error{File: s.name, Line: line, Want: fmt.Sprintf(format, args...)}
}

func (s *source) errorByte(at int64, format string, args ...any) error {
	return &history.Error{File: s.name, Byte: at, Want: fmt.Sprintf(format, args...)}
}

// longest is how long a line may be, in bytes, so that a hostile file cannot take
// all memory.
const longest = 64 << 20

// lines calls each for every line, without its end, with its number from 1.
func (s *source) lines(each func(n int, line []byte) error) error {
	var long []byte
	for n := 1; ; n++ {
		line, err := s.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			long = append(long[:0], line...)
			for errors.Is(err, bufio.ErrBufferFull) && len(long) <= longest {
				line, err = s.ReadSlice('\n')
				long = append(long, line...)
			}
			if len(long) > longest {
				return s.errorAt(n, "a line is longer than %d bytes", longest)
			}
			line = long
		}
		if err != nil && err != io.EOF {
			return s.failed(err)
		}
		if len(line) > 0 {
			if e := each(n, bytes.TrimRight(line, "\r\n")); e != nil {
				return e
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// ErrUnknown is in the error of [Detect] when it does not find out the format of a history.
var ErrUnknown = errors.New("none of the formats that are known")
