-- name: Pay :batchexec
UPDATE orders SET status = 'paid' WHERE id = $1 AND status = 'open';

-- name: AddArticles :copyfrom
INSERT INTO article (name, stock) VALUES ($1, $2);
