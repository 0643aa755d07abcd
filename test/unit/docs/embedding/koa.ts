import Koa from 'koa';
import { agent } from './agent.ts';

const app = new Koa();
agent.mountOnKoa(app);
await agent.start();
app.listen(3000);
