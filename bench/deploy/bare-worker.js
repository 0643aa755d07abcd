// The least that serving new code can be: a worker evaluates it, listens, and answers.
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { compileFunction } from 'node:vm';
import { parentPort, workerData } from 'node:worker_threads';

const module = { exports: {} };
const require = createRequire(import.meta.url);
compileFunction(workerData.code, ['module', 'exports', 'require'])(module, module.exports, require);
const server = createServer((_request, response) => response.end(JSON.stringify(Object.keys(module.exports))));
server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
