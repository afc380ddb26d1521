CREATE TABLE product (
	name  text PRIMARY KEY,
	price int NOT NULL,
	stock int NOT NULL CHECK (stock >= 0)
);
CREATE TABLE purchase (
	id    int PRIMARY KEY,
	total int NOT NULL DEFAULT 0
);
CREATE TABLE line (
	purchase int REFERENCES purchase,
	product  text REFERENCES product,
	pieces   int NOT NULL,
	PRIMARY KEY (purchase, product)
);
