import express from 'express';
import { agent } from './agent.ts';

const app = express();
agent.mountOnExpress(app);
await agent.start();
app.listen(3000);
