CREATE TABLE last (id int PRIMARY KEY, n int NOT NULL);
INSERT INTO last VALUES (1, 0);
CREATE TABLE letter (n int PRIMARY KEY, sent boolean NOT NULL);
CREATE TABLE outbox (id bigserial PRIMARY KEY, n int NOT NULL);
