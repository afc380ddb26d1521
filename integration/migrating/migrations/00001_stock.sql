-- +goose Up
CREATE TABLE product (id bigint PRIMARY KEY, stock bigint NOT NULL);

-- +goose Down
DROP TABLE product;
