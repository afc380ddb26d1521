CREATE TABLE account (
	id      int PRIMARY KEY,
	owner   text NOT NULL,
	balance int NOT NULL DEFAULT 0
);
CREATE TABLE coupon (
	code text PRIMARY KEY,
	most int NOT NULL,
	used int NOT NULL DEFAULT 0
);
CREATE TABLE redemption (
	id   bigserial PRIMARY KEY,
	code text NOT NULL REFERENCES coupon,
	who  text NOT NULL
);
