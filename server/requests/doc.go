// Package requests explores applications in any language: a file says how the application is started, and which
// requests are the sessions.
//
// A file becomes a program: see [File.Explore]. What it declares is explored as every program in SQL is. The
// application runs below package application.
package requests
