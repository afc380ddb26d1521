CREATE TABLE product (id bigint PRIMARY KEY, stock int NOT NULL);
