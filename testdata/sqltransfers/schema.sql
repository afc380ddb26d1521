CREATE TABLE account (
	id      bigint PRIMARY KEY,
	owner   text NOT NULL UNIQUE,
	balance bigint NOT NULL CHECK (balance >= 0)
);
