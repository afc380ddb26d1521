// Package puretag makes a build without the tag gms_pure_go fail with an error that names the
// tag. Without the tag go-mysql-server wants ICU and a C compiler, and says only that a
// header is missing. The package has no requirements, so that its error is there beside
// theirs.
package puretag
