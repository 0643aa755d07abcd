/**
 * HTTP of Node.js. An `import` of `node:http` reads everything that the module has, and so loads the WebSockets of Node.js as
 * well. That takes 35 ms, in each process and each thread.
 */
export const { Agent, createServer, IncomingMessage, request, STATUS_CODES } = process.getBuiltinModule('node:http');
