CREATE TABLE warehouse (
	w_id   int PRIMARY KEY,
	w_name text NOT NULL,
	w_tax  int NOT NULL,
	w_ytd  int NOT NULL
);
CREATE TABLE district (
	d_w_id      int NOT NULL,
	d_id        int NOT NULL,
	d_name      text NOT NULL,
	d_tax       int NOT NULL,
	d_ytd       int NOT NULL,
	d_next_o_id int NOT NULL,
	PRIMARY KEY (d_w_id, d_id)
);
CREATE TABLE customer (
	c_w_id         int NOT NULL,
	c_d_id         int NOT NULL,
	c_id           int NOT NULL,
	c_last         text NOT NULL,
	c_discount     int NOT NULL,
	c_balance      int NOT NULL,
	c_ytd_payment  int NOT NULL,
	c_payment_cnt  int NOT NULL,
	c_delivery_cnt int NOT NULL,
	PRIMARY KEY (c_w_id, c_d_id, c_id)
);
CREATE TABLE history (
	h_id     bigserial PRIMARY KEY,
	h_c_w_id int NOT NULL,
	h_c_d_id int NOT NULL,
	h_c_id   int NOT NULL,
	h_amount int NOT NULL
);
CREATE TABLE item (
	i_id    int PRIMARY KEY,
	i_name  text NOT NULL,
	i_price int NOT NULL
);
CREATE TABLE stock (
	s_w_id      int NOT NULL,
	s_i_id      int NOT NULL,
	s_quantity  int NOT NULL,
	s_ytd       int NOT NULL,
	s_order_cnt int NOT NULL,
	PRIMARY KEY (s_w_id, s_i_id)
);
CREATE TABLE oorder (
	o_w_id       int NOT NULL,
	o_d_id       int NOT NULL,
	o_id         int NOT NULL,
	o_c_id       int NOT NULL,
	o_carrier_id int,
	o_ol_cnt     int NOT NULL,
	PRIMARY KEY (o_w_id, o_d_id, o_id)
);
CREATE TABLE new_order (
	no_w_id int NOT NULL,
	no_d_id int NOT NULL,
	no_o_id int NOT NULL,
	no_id   bigserial PRIMARY KEY
);
CREATE TABLE order_line (
	ol_w_id      int NOT NULL,
	ol_d_id      int NOT NULL,
	ol_o_id      int NOT NULL,
	ol_number    int NOT NULL,
	ol_i_id      int NOT NULL,
	ol_quantity  int NOT NULL,
	ol_amount    int NOT NULL,
	ol_delivered boolean NOT NULL DEFAULT false,
	PRIMARY KEY (ol_w_id, ol_d_id, ol_o_id, ol_number)
);
