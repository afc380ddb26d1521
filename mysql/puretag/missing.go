//go:build !gms_pure_go

package puretag

// The compiler's error is the message: build with -tags gms_pure_go.
var _ = package_mysql_of_txmc_needs_the_build_tag__go_test_tags_gms_pure_go
