// Package handlers has the same mistake in functions that handle requests of several frameworks: each reads how many are left, and
// then writes what will be. Each takes what it needs from another part of the request.
package handlers

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"github.com/gin-gonic/gin"
	"github.com/go-chi/chi/v5"
	"github.com/gofiber/fiber/v2"
	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/labstack/echo/v4"
)

// Schema makes the tables: one for each framework.
const Schema = `
CREATE TABLE by_gin (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE by_echo (id uuid PRIMARY KEY, n int NOT NULL);
CREATE TABLE by_fiber (id int PRIMARY KEY, n int NOT NULL);
CREATE TABLE by_chi (id text PRIMARY KEY, n int NOT NULL);
CREATE TABLE by_gorilla (id int PRIMARY KEY, n int NOT NULL);`

// Handlers have the database.
type Handlers struct{ db *sql.DB }

// New is that of a database.
func New(db *sql.DB) *Handlers { return &Handlers{db} }

var errNone = errors.New("none is left")

// Buyer is the user that what runs before has set.
type Buyer struct{ ID int }

type order struct {
	N int `json:"n" form:"n" query:"n" binding:"required,min=1"`
}

// Gin takes what the path and the body say.
func (h *Handlers) Gin(c *gin.Context) {
	id, err := strconv.Atoi(c.Param("id"))
	var o order
	if err = errors.Join(err, c.ShouldBindJSON(&o)); err != nil {
		c.JSON(http.StatusBadRequest, gin.H{"error": err.Error()})
		return
	}
	ctx, n := c.Request.Context(), 0
	err = h.db.QueryRowContext(ctx, "SELECT n FROM by_gin WHERE id = $1", id).Scan(&n)
	if err == nil && n < o.N {
		err = errNone
	}
	if err == nil {
		_, err = h.db.ExecContext(ctx, "UPDATE by_gin SET n = $1 WHERE id = $2", n-o.N, id)
	}
	if err != nil {
		c.JSON(http.StatusConflict, gin.H{"error": err.Error()})
		return
	}
	c.JSON(http.StatusOK, gin.H{"left": n - o.N})
}

// Echo returns a handler, which takes an identifier.
func (h *Handlers) Echo() echo.HandlerFunc {
	return func(c echo.Context) error {
		id, err := uuid.Parse(c.Param("id"))
		if err != nil {
			return echo.NewHTTPError(http.StatusBadRequest, err.Error())
		}
		ctx, n := c.Request().Context(), 0
		if err := h.db.QueryRowContext(ctx, "SELECT n FROM by_echo WHERE id = $1", id).Scan(&n); err != nil {
			return err
		}
		if _, err := h.db.ExecContext(ctx, "UPDATE by_echo SET n = $1 WHERE id = $2", n-1, id); err != nil {
			return err
		}
		return c.NoContent(http.StatusNoContent)
	}
}

// Fiber takes a value that what runs before has set, and a query.
func (h *Handlers) Fiber(c *fiber.Ctx) error {
	buyer, ok := c.Locals("buyer").(*Buyer)
	if !ok {
		return fiber.ErrUnauthorized
	}
	var o order
	if err := c.QueryParser(&o); err != nil {
		return err
	}
	n := 0
	if err := h.db.QueryRowContext(c.Context(), "SELECT n FROM by_fiber WHERE id = $1", buyer.ID).Scan(&n); err != nil {
		return err
	}
	if _, err := h.db.ExecContext(c.Context(), "UPDATE by_fiber SET n = $1 WHERE id = $2", n-o.N, buyer.ID); err != nil {
		return err
	}
	return c.JSON(fiber.Map{"left": n - o.N})
}

// Chi is one of net/http, whose router has the path.
func (h *Handlers) Chi(w http.ResponseWriter, r *http.Request) {
	var o order
	if err := json.NewDecoder(r.Body).Decode(&o); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.take(r.Context(), w, "SELECT n FROM by_chi WHERE id = $1", "UPDATE by_chi SET n = $1 WHERE id = $2", chi.URLParam(r, "id"), o.N)
}

// Gorilla is another one.
func (h *Handlers) Gorilla(w http.ResponseWriter, r *http.Request) {
	id, err := strconv.Atoi(mux.Vars(r)["id"])
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	h.take(r.Context(), w, "SELECT n FROM by_gorilla WHERE id = $1", "UPDATE by_gorilla SET n = $1 WHERE id = $2", id, 1)
}

func (h *Handlers) take(ctx context.Context, w http.ResponseWriter, look, write string, id any, some int) {
	n := 0
	if err := h.db.QueryRowContext(ctx, look, id).Scan(&n); err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	if _, err := h.db.ExecContext(ctx, write, n-some, id); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
	}
}
