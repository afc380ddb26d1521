CREATE TABLE member (
	id    bigserial PRIMARY KEY,
	email text NOT NULL
);
