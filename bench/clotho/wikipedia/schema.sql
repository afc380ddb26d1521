CREATE TABLE useracct (
	user_id        int PRIMARY KEY,
	user_name      varchar(255) NOT NULL UNIQUE,
	user_touched   int NOT NULL,
	user_editcount int NOT NULL
);
CREATE TABLE page (
	page_id        int PRIMARY KEY,
	page_namespace int NOT NULL,
	page_title     varchar(255) NOT NULL,
	page_latest    int NOT NULL,
	page_touched   int NOT NULL,
	UNIQUE (page_namespace, page_title)
);
CREATE TABLE text (
	old_id   serial PRIMARY KEY,
	old_text text NOT NULL
);
CREATE TABLE revision (
	rev_id      serial PRIMARY KEY,
	rev_page    int NOT NULL REFERENCES page,
	rev_text_id int NOT NULL,
	rev_user    int NOT NULL REFERENCES useracct
);
CREATE TABLE watchlist (
	wl_user         int NOT NULL REFERENCES useracct,
	wl_namespace    int NOT NULL,
	wl_title        varchar(255) NOT NULL,
	wl_notification int,
	PRIMARY KEY (wl_user, wl_namespace, wl_title)
);
