import { NestFactory } from '@nestjs/core';
import { agent } from './agent.ts';
import { AppModule } from './app-module.ts';

const app = await NestFactory.create(AppModule);
agent.mountOnNestJs(app);
await agent.start();
await app.listen(3000);
