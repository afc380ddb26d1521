INSERT INTO o (k, n) VALUES ('a', 1), ('b', 2);
