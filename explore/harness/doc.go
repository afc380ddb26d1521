// Package harness explores client programs in a process of their own. The txmc
// command generates a main function that calls [Main] with the Explore functions
// of a package, builds it inside the user's module and runs it. What is found
// comes back as lines of JSON over a pipe.
//
// The package depends on the standard library and on the packages that client
// programs are made of. So it can be built wherever those can: also from a vendor
// directory, and with a go.sum that knows nothing of the command's own
// dependencies.
package harness
