// Package totals is a schema with a function.
package totals

const Schema = `
CREATE TABLE acct (id int PRIMARY KEY, balance int NOT NULL);
CREATE FUNCTION total() RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int;
BEGIN
	SELECT sum(balance) INTO n FROM acct WHERE id IN (1, 2);
	RETURN n;
END $$;`
