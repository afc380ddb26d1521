INSERT INTO schema_migrations VALUES (20240101, FALSE);
INSERT INTO goose_db_version (version_id, is_applied, tstamp) VALUES (0, TRUE, '2024-01-01'),(1, TRUE, '2024-01-02');
INSERT INTO authors (name, bio, at) VALUES ('Le Guin', 'x', '2024-01-01'), ('Lem', NULL, '2024-01-02');
INSERT INTO books (author_id, title) VALUES (1, 'Dispossessed'), (2, 'Solaris'), (NULL, 'Anon');
