import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import express from 'express';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type AgentOptions, createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { listen } from '../helpers/host-applications.ts';
import { call } from '../helpers/rest-call.ts';

/** An agent on a server of its own, or behind Express. */
async function startShop(
  place: 'own server' | 'Express',
  limits: NonNullable<AgentOptions['limits']>,
  trustedProxies: readonly string[] = [],
) {
  const { agent, databaseUri, token } = await createEmbeddedShop({ limits, trustedProxies });
  agent.addDataSource(createSqlDataSource(databaseUri));
  if (place === 'own server') {
    agent.mountOnStandaloneServer(0);
    await agent.start();
    return { port: agent.standaloneServerPort ?? 0, token };
  }
  // Without a parser of its own, so that the agent waits for the bodies.
  const application = express();
  agent.mountOnExpress(application);
  const { origin, close } = await listen(application);
  onTestFinished(close);
  await agent.start();
  return { port: Number(new URL(origin).port), token };
}

/** Send a head and the first byte of a body, and no more. Resolves to all that the server sends until it closes the connection. */
async function sendSlowly(port: number, path = '/service/authentication', fields: readonly string[] = []) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  const head = [`POST ${path} HTTP/1.1`, 'Host: x', 'Content-Type: application/json', 'Content-Length: 100', ...fields];
  socket.write(`${head.join('\r\n')}\r\n\r\n{`);
  return { socket, answer: readToEnd(socket) };
}

async function readToEnd(socket: Socket): Promise<string> {
  socket.setEncoding('utf8');
  let text = '';
  for await (const part of socket) text += part;
  return text;
}

describe.each(['own server', 'Express'] as const)('slow clients of an agent (%s)', (place) => {
  it('keep nobody out, and their connections are closed', { tags: 'long' }, async () => {
    const limits = { concurrentRequests: 20, unfinishedBodiesPerAddress: 50, requestTimeoutMs: 2_000 };
    const { port, token } = await startShop(place, limits);
    const rest = { agentUrl: `http://127.0.0.1:${port}/service`, token };
    const slow = await Promise.all(Array.from({ length: 300 }, () => sendSlowly(port)));
    const body = { data: { type: 'orders', attributes: { ref: 'new' } } };
    expect((await call(rest, '/orders', { method: 'POST', body })).status).toBe(200);
    expect((await call(rest, '/orders')).status).toBe(200);

    const answers = await Promise.all(slow.map(({ answer }) => answer));
    const statuses = answers.map((answer) => answer.slice(9, 12));
    // The honest write took the place of one more.
    expect(statuses.filter((status) => status === '503')).toHaveLength(251);
    expect(statuses.filter((status) => status === '408')).toHaveLength(49);
    expect(answers.every((answer) => /connection: close/i.test(answer))).toBe(true);
  });

  it('count by the addresses that a trusted proxy tells, not by that of the proxy', { tags: 'long' }, async () => {
    const { port } = await startShop(place, { unfinishedBodiesPerAddress: 1, requestTimeoutMs: 2_000 }, ['127.0.0.1']);
    const sendFrom = (address: string) => sendSlowly(port, undefined, [`X-Forwarded-For: ${address}`]);
    const senders = ['192.0.2.1', '192.0.2.2', '192.0.2.1'];
    const slow = [];
    for (const sender of senders) slow.push(await sendFrom(sender));
    const statuses = await Promise.all(slow.map(async ({ answer }) => (await answer).slice(9, 12)));
    expect(statuses.toSorted()).toEqual(['408', '408', '503']);
  });

  it('lose their connection after an answer that came before their body', { tags: 'long' }, async () => {
    const { port } = await startShop(place, {});
    const { answer } = await sendSlowly(port, '/service/orders');
    expect(await answer).toContain('401 Unauthorized');
  });
});

describe('a body in several parts', () => {
  it('is waited for', async () => {
    const { port, token } = await startShop('own server', { unfinishedBodies: 1, requestTimeoutMs: 5_000 });
    const fields = [`Authorization: Bearer ${token}`, 'Connection: close'];
    const { socket, answer } = await sendSlowly(port, '/service/orders?timezone=Europe/Paris', fields);
    const rest = '"data":{"type":"orders","attributes":{"ref":"new"}}}';
    socket.write(rest.slice(0, 10));
    socket.write(rest.slice(10).padEnd(99 - 10));
    expect(await answer).toContain('200 OK');
  });
});
