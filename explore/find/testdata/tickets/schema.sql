CREATE TABLE ticket (
	id       int NOT NULL,
	customer int NOT NULL,
	show     int NOT NULL,
	seat     int NOT NULL,
	PRIMARY KEY (id, customer, show)
);
CREATE INDEX ticket_seat ON ticket (show, seat);
