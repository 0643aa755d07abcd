import fastify from 'fastify';
import { agent } from './agent.ts';

const app = fastify();
agent.mountOnFastify(app);
await agent.start();
await app.listen({ port: 3000 });
