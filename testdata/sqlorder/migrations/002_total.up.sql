CREATE FUNCTION add_line() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE purchase SET total = total + NEW.pieces * (SELECT price FROM product WHERE name = NEW.product)
	WHERE id = NEW.purchase;
	RETURN NEW;
END $$;
CREATE TRIGGER line_added AFTER INSERT ON line FOR EACH ROW EXECUTE FUNCTION add_line();
