CREATE TABLE post (
	id    int PRIMARY KEY,
	likes int NOT NULL DEFAULT 0
);
CREATE TABLE member (
	id   bigserial PRIMARY KEY,
	name text NOT NULL
);
