// Loaded before the suite: every bot that names no server of its own uses the one in BASE_API_URL.

const { join } = require('node:path');

const path = require.resolve(join(process.cwd(), 'src/telegram'));
const TelegramBot = require(path);

require.cache[path].exports = class extends TelegramBot {
  constructor(token, options = {}) {
    super(token, { baseApiUrl: process.env.BASE_API_URL, ...options });
  }
};
