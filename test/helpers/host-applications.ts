import 'reflect-metadata';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { bodyParser } from '@koa/bodyparser';
import { Body, Controller, type INestApplication, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { ExpressAdapter } from '@nestjs/platform-express';
import { FastifyAdapter } from '@nestjs/platform-fastify';
import express from 'express';
import express4 from 'express4';
import fastify from 'fastify';
import Koa from 'koa';
import type { EmbeddedAgent } from '../../src/exports/agent.ts';
import type { HttpListener } from './http-server.ts';

/** An application that listens. */
export interface RunningHost {
  readonly origin: string;
  close(): Promise<void>;
}

/**
 * Applications with an agent in them, by the name of their framework. Each parses JSON before the agent comes, answers
 * `POST /host/echo` with the body it got, and any path of nobody with 404.
 */
export const hostApplications = {
  'Express 5': async (agent) => {
    const app = express();
    app.use(express.json());
    agent.mountOnExpress(app);
    app.post('/host/echo', (request, response) => void response.json(request.body));
    return listen(app);
  },
  'Express 4': async (agent) => {
    const app = express4();
    app.use(express4.json());
    agent.mountOnExpress(app);
    app.post('/host/echo', (request, response) => void response.json(request.body));
    return listen(app);
  },
  'Fastify 5': async (agent) => {
    const app = fastify();
    agent.mountOnFastify(app);
    app.post('/host/echo', async (request) => request.body);
    return { origin: await app.listen({ port: 0 }), close: () => app.close() };
  },
  Koa: async (agent) => {
    const app = new Koa();
    app.silent = true;
    app.use(bodyParser());
    agent.mountOnKoa(app);
    app.use((context, next) => {
      if (context.method !== 'POST' || context.path !== '/host/echo') return next();
      context.body = context.request.body;
      return undefined;
    });
    return listen(app.callback());
  },
  'NestJS on Express': async (agent) => {
    const options = { logger: false, bodyParser: false } as const;
    const app = await NestFactory.create(echoModule(), new ExpressAdapter(), options);
    app.use(express.json());
    agent.mountOnNestJs(app);
    return listenNest(app);
  },
  'NestJS on Fastify': async (agent) => {
    const app = await NestFactory.create(echoModule(), new FastifyAdapter(), { logger: false });
    agent.mountOnNestJs(app);
    return listenNest(app);
  },
} satisfies Record<string, (agent: EmbeddedAgent) => Promise<RunningHost>>;

/** As decorators would say it, which need an option of the compiler that nothing else here needs. */
function echoModule() {
  class EchoController {
    echo(body: unknown): unknown {
      return body;
    }
  }
  Controller('host')(EchoController);
  const echo = Object.getOwnPropertyDescriptor(EchoController.prototype, 'echo');
  Post('echo')(EchoController.prototype, 'echo', { ...echo });
  Body()(EchoController.prototype, 'echo', 0);
  class EchoModule {}
  Module({ controllers: [EchoController] })(EchoModule);
  return EchoModule;
}

async function listenNest(app: INestApplication): Promise<RunningHost> {
  await app.listen(0, '127.0.0.1');
  return { origin: await app.getUrl(), close: () => app.close() };
}

/** Listen with what a framework makes of requests. */
export async function listen(listener: HttpListener): Promise<RunningHost> {
  const server = createServer((request, response) => void listener(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
