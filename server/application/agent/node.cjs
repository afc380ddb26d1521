// An agent for applications in Node, loaded by NODE_OPTIONS. The statements that a request sends by the package pg end with a
// comment that names the request, by the traceparent that came with it, and the line of the application (sqlcommenter's format).
// What timers and workers send is said to be of the background.
'use strict';
const { AsyncLocalStorage, AsyncResource } = require('node:async_hooks');
const { fileURLToPath } = require('node:url');
const Module = require('node:module');
const http = require('node:http');

const requests = new AsyncLocalStorage();

const emit = http.Server.prototype.emit;
http.Server.prototype.emit = function (event, request, ...rest) {
	const trace = event === 'request' && request.headers.traceparent;
	if (!trace) return emit.call(this, event, request, ...rest);
	return requests.run(trace, () => emit.call(this, event, request, ...rest));
};

// place is the innermost line of the application's own code.
function place() {
	const limit = Error.stackTraceLimit;
	Error.stackTraceLimit = 60;
	const lines = new Error().stack.split('\n').slice(1);
	Error.stackTraceLimit = limit;
	for (const line of lines) {
		const at = /(?:\(|at (?:async )?)((?:file:\/\/)?\/[^():]+):(\d+):\d+\)?$/.exec(line);
		if (at && at[1] !== __filename && !at[1].includes('/node_modules/')) {
			const file = at[1].startsWith('file:') ? fileURLToPath(at[1]) : at[1];
			return `,file='${encodeURIComponent(file).replaceAll("'", '%27')}',line='${at[2]}'`;
		}
	}
	return '';
}

function commented(text) {
	const trace = requests.getStore();
	if (typeof text !== 'string' || text.includes('traceparent=')) return text;
	if (!trace) return `${text} /*txmc='background'*/`;
	return `${text} /*traceparent='${trace}'${place()}*/`;
}

// A statement with a name is prepared once, for all requests.
function query(original) {
	return function (config, ...rest) {
		if (typeof config === 'string') {
			config = commented(config);
		} else if (config && typeof config.text === 'string' && !config.name) {
			if (typeof config.submit === 'function') {
				config.text = commented(config.text);
			} else {
				config = Object.assign(Object.create(Object.getPrototypeOf(config)), config, { text: commented(config.text) });
			}
		}
		return original.call(this, config, ...rest);
	};
}

// What a pool calls when a connection is free belongs to who has waited for it, not to who has given it back.
function bound(original) {
	return function (...args) {
		const last = args.length - 1;
		if (typeof args[last] === 'function') args[last] = AsyncResource.bind(args[last]);
		return original.apply(this, args);
	};
}

function wrap(pg) {
	const client = pg && pg.Client && pg.Client.prototype;
	if (!client || Object.hasOwn(client, 'txmc')) return;
	Object.defineProperty(client, 'txmc', { value: true });
	client.query = query(client.query);
	for (let pool = pg.Pool && pg.Pool.prototype; pool && pool !== Object.prototype; pool = Object.getPrototypeOf(pool)) {
		if (Object.hasOwn(pool, 'connect')) pool.connect = bound(pool.connect);
	}
}

const load = Module._load;
Module._load = function (name, ...rest) {
	const loaded = load.call(this, name, ...rest);
	if (/(^|[\\/])pg([\\/]lib([\\/]index(\.js)?)?)?$/.test(name)) wrap(loaded);
	return loaded;
};
