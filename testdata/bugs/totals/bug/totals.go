// Package totals is a schema with a function.
package totals

const Schema = `
CREATE TABLE acct (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $$
DECLARE a int; b int;
BEGIN
	SELECT balance INTO a FROM acct WHERE id = 1;
	SELECT balance INTO b FROM acct WHERE id = 2;
	RETURN a + b;
END $$;`
