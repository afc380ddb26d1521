CREATE TABLE customer (
	c_id      int PRIMARY KEY,
	c_id_str  varchar(64) NOT NULL UNIQUE,
	c_balance int NOT NULL,
	c_iattr0  int NOT NULL
);
CREATE TABLE flight (
	f_id         int PRIMARY KEY,
	f_depart     int NOT NULL,
	f_base_price int NOT NULL,
	f_seats_left int NOT NULL
);
CREATE TABLE frequent_flyer (
	ff_c_id   int NOT NULL REFERENCES customer,
	ff_al_id  int NOT NULL,
	ff_iattr0 int NOT NULL,
	PRIMARY KEY (ff_c_id, ff_al_id)
);
CREATE TABLE reservation (
	r_id    int NOT NULL,
	r_c_id  int NOT NULL REFERENCES customer,
	r_f_id  int NOT NULL REFERENCES flight,
	r_seat  int NOT NULL,
	r_price int NOT NULL,
	PRIMARY KEY (r_id, r_c_id, r_f_id)
);
CREATE INDEX reservation_seat ON reservation (r_f_id, r_seat);
