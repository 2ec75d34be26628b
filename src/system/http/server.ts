// createServer of node:http, asked for by itself: an import asks the module for every name it has, WebSocket among
// them, and for that one Node loads the whole of its own client, which takes a tenth of a start.

export const { createServer } = process.getBuiltinModule('node:http');
