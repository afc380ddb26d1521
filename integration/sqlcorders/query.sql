-- name: GetArticle :one
SELECT * FROM article WHERE name = $1;

-- name: LockArticle :one
SELECT * FROM article WHERE name = $1 FOR UPDATE;

-- name: SetStock :exec
UPDATE article SET stock = $2 WHERE id = $1;

-- name: CreateOrder :one
INSERT INTO orders (buyer, article, pieces) VALUES ($1, $2, $3) RETURNING *;

-- name: ListOrders :many
SELECT orders.*, article.name FROM orders JOIN article ON article.id = orders.article ORDER BY orders.id;
