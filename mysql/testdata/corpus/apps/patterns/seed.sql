INSERT INTO opt (n, v,m) VALUES ('siteurl','x','x'),('_transient_timeout_feed', '1700000000', 'a_b'), ('_transient_feed', 'x', 'a%b'),('bob ','a_b','axb'),('bob2','a','a'),('SITÉ','axb',NULL);
INSERT INTO subscription (plan, copy, rank) VALUES ('pro', 1, 10), ('free', 2, 20), ('pro', 3, 15);
