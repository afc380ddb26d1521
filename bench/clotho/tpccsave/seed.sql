-- One warehouse with two districts. In each there are two customers and an order that is
-- delivered, so that the next Delivery has a new one. All consistency conditions hold.
INSERT INTO warehouse VALUES (1, 'a', 0, 20);
INSERT INTO district VALUES (1, 1, 'a', 0, 10, 2), (1, 2, 'b', 0, 10, 2);
INSERT INTO customer VALUES (1, 1, 1, 'a', 0, -5, 10, 1, 1), (1, 1, 2, 'b', 0, 0, 0, 0, 0), (1, 2, 1, 'a', 0, -5, 10, 1, 1), (1, 2, 2, 'b', 0, 0, 0, 0, 0);
INSERT INTO history (h_c_w_id, h_c_d_id, h_c_id, h_amount) VALUES (1, 1, 1, 10), (1, 2, 1, 10);
INSERT INTO item VALUES (1, 'a', 5), (2, 'b', 7);
INSERT INTO stock VALUES (1, 1, 50, 2, 2), (1, 2, 50, 0, 0);
INSERT INTO oorder VALUES (1, 1, 1, 1, 1, 1), (1, 2, 1, 1, 1, 1);
INSERT INTO order_line VALUES (1, 1, 1, 1, 1, 1, 5, true), (1, 2, 1, 1, 1, 1, 5, true);
