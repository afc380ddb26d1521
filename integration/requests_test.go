package integration_test

import "testing"

// Functions that handle requests of gin, echo, fiber, chi and gorilla are calls: each reads what is left, and then writes it.
func TestFindInHandlers(t *testing.T) {
	got := finds(t, ".", "./handlers")
	check(t, got, 10, 10, "Handlers.Chi Handlers.Chi", "Handlers.Echo Handlers.Echo", "Handlers.Fiber Handlers.Fiber", "Handlers.Gin Handlers.Gin", "Handlers.Gorilla Handlers.Gorilla")
}

// A store makes its schema when it is opened, and notes that in the database: sessions find it made.
func TestFindInMigrating(t *testing.T) {
	got := finds(t, ".", "./migrating")
	check(t, got, 2, 2, "Store.Take Store.Take")
}
