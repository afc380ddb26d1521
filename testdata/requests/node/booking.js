// Rooms to be booked: node:http and a pool of the package pg. A booking must not overlap another one. FIX=1 mends the mistake.
'use strict';
const http = require('node:http');
const { randomUUID } = require('node:crypto');
const { Pool } = require('pg');

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 5 });

const SCHEMA = `
CREATE TABLE IF NOT EXISTS room (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE IF NOT EXISTS booking (
	id uuid PRIMARY KEY, room int NOT NULL REFERENCES room, first int NOT NULL, last int NOT NULL, made timestamptz NOT NULL);`;

async function transaction(f) {
	const client = await pool.connect();
	try {
		await client.query('BEGIN');
		const result = await f(client);
		await client.query('COMMIT');
		return result;
	} catch (e) {
		await client.query('ROLLBACK');
		throw e;
	} finally {
		client.release();
	}
}

const handlers = {
	'/rooms': (q) => transaction(async (c) => {
		await c.query('INSERT INTO room VALUES ($1, $2)', [q.id, q.name]);
		return { status: 201 };
	}),
	'/bookings': (q) => transaction(async (c) => {
		if (process.env.FIX) {
			await c.query({ name: 'lock', text: 'SELECT id FROM room WHERE id = $1 FOR UPDATE', values: [q.room] });
		}
		const overlap = await c.query('SELECT id FROM booking WHERE room = $1 AND first <= $3 AND last >= $2', [q.room, q.first, q.last]);
		if (overlap.rows.length > 0) return { status: 409, error: 'taken' };
		const id = randomUUID();
		await c.query('INSERT INTO booking VALUES ($1, $2, $3, $4, $5)', [id, q.room, q.first, q.last, new Date()]);
		return { status: 200, id };
	}),
	// One query of the pool, as most pages have them.
	'/free': async (q) => {
		const taken = await pool.query('SELECT first, last FROM booking WHERE room = $1', [q.room]);
		return { status: 200, taken: taken.rows.length };
	},
};

async function handle(request, response) {
	let body = '';
	for await (const part of request) body += part;
	const f = handlers[request.url];
	const result = f ? await f(JSON.parse(body)).catch((e) => ({ status: 503, error: e.message })) : { status: 200 };
	response.writeHead(result.status, { 'Content-Type': 'application/json' });
	response.end(JSON.stringify(result));
}

// What runs in the background belongs to no request.
function tidy() {
	pool.query('DELETE FROM booking WHERE last < 0').catch((e) => { console.error(e.message); process.exit(9); });
}

pool.query(SCHEMA).then(() => {
	setInterval(tidy, 5);
	http.createServer(handle).listen(Number(process.env.PORT), '127.0.0.1');
});
