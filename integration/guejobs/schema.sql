-- The columns of gue's table of jobs, and a table of the application.
CREATE TABLE gue_jobs (
	job_id text PRIMARY KEY,
	priority smallint NOT NULL,
	run_at timestamptz NOT NULL,
	job_type text NOT NULL,
	args bytea NOT NULL,
	error_count int NOT NULL DEFAULT 0,
	last_error text,
	queue text NOT NULL,
	created_at timestamptz NOT NULL,
	updated_at timestamptz NOT NULL
);
CREATE INDEX ON gue_jobs (queue, run_at, priority);
CREATE TABLE orders (id int PRIMARY KEY, state text NOT NULL);
