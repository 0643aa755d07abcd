import { writeSync } from 'node:fs';
import { registerHooks } from 'node:module';

/**
 * Preloaded into a command: ends it where its work begins, and tells on stdout how many files it loaded until then, and the
 * processor time it took, in milliseconds. The work of a command begins with its context, that of `completion` with the code for the shell.
 */
const work = /\/(?:dist\/chunks\/(?:cli-context|completion-code)-\w+|bare\/work)\.js$/;
const files = new Set();

registerHooks({
  load(url, context, next) {
    if (work.test(url)) {
      const { user, system } = process.cpuUsage();
      writeSync(1, JSON.stringify({ files: files.size, cpuMs: (user + system) / 1000 }));
      process.exit(0);
    }
    if (url.startsWith('file:')) files.add(url);
    return next(url, context);
  },
});
