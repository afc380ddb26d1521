package files

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// mostLinks is how many links a path leads over.
const mostLinks = 40

// Path is what a name stands for: from the root, without symbolic links. That of a link itself
// ends with the link's name. It is "" for what is no file that keeps anything: devices, and what
// the system tells of itself.
func Path(name string, link bool) string {
	if strings.HasPrefix(name, "|") { // a pipe, by its number
		return name
	}
	abs, err := filepath.Abs(name)
	if err != nil {
		return ""
	}
	path := resolve(abs, link, mostLinks)
	if system(filepath.ToSlash(path)) {
		return ""
	}
	if runtime.GOOS == "windows" || runtime.GOOS == "darwin" {
		path = strings.ToLower(path) // which are one file there
	}
	return path
}

// system reports whether a path is the system's.
func system(path string) bool {
	return strings.HasPrefix(path, "/dev/") && !strings.HasPrefix(path, "/dev/shm/") || strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/sys/")
}

// resolve follows links, also where the end of the path does not exist.
func resolve(path string, link bool, most int) string {
	if !link {
		if real, err := filepath.EvalSymlinks(path); err == nil {
			return real
		}
		if to, err := os.Readlink(path); err == nil && most > 0 {
			if !filepath.IsAbs(to) {
				to = filepath.Join(filepath.Dir(path), to)
			}
			return resolve(to, false, most-1)
		}
	}
	dir := filepath.Dir(path)
	if dir == path {
		return path
	}
	return filepath.Join(resolve(dir, false, most), filepath.Base(path))
}
