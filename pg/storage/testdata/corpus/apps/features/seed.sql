INSERT INTO acct (id, owner, bal) VALUES (1, 'ann', 100), (2, 'bob', 50), (3, 'cat', 500);
INSERT INTO node VALUES (1, NULL, 'root'), (2, 1, 'a'), (3, 1, 'b'), (4, 2, 'aa'), (5, 4, 'aaa');
INSERT INTO secret VALUES (1, 'x', 'one'), (2, 'y', 'two');
INSERT INTO stock VALUES ('kept', 1, 2.50), ('gone', 5, 10);
INSERT INTO measure VALUES ('Bern', '2024-03-01', 3.5), ('Bern', '2025-03-01', 4.25), ('Rome', '2024-03-01', 15), ('Rome', '2030-01-01', 99);
