-- +goose Up
CREATE UNIQUE INDEX votes_once ON votes (poll_id, who);
-- +goose StatementBegin
CREATE FUNCTION vote_is_of_somebody() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF new.who = '' THEN
		RAISE EXCEPTION 'a vote is of somebody' USING ERRCODE = 'check_violation', CONSTRAINT = 'votes_of_somebody', TABLE = 'votes';
	END IF;
	RETURN new;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER votes_of_somebody BEFORE INSERT ON votes FOR EACH ROW EXECUTE FUNCTION vote_is_of_somebody();

-- +goose Down
DROP TRIGGER votes_of_somebody ON votes;
DROP FUNCTION vote_is_of_somebody;
DROP INDEX votes_once;
