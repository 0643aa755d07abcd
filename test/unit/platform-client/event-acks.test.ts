import { expect, it } from 'vitest';
import type { Http } from '#kernel/ports/http';
import { EventAcks } from '#platform-client/event-acks';
import { eventually } from '../../helpers/eventually.ts';

it('tells a new connection again what an answer to the one before acknowledges', async () => {
  const told: number[] = [];
  const answers: (() => void)[] = [];
  const http: Pick<Http, 'send'> = {
    send: ({ body }) => {
      told.push(JSON.parse(String(body)).id);
      return new Promise((resolve) =>
        answers.push(() => resolve({ status: 204, headers: {}, body: new Uint8Array() })),
      );
    },
  };
  const acks = new EventAcks({
    serverUrl: 'http://127.0.0.1:3310',
    envSecret: 'e'.repeat(64),
    http: http as Http,
    agent: crypto.randomUUID(),
  });
  acks.connected();
  acks.carriedOut(7);
  await eventually(() => expect(told).toEqual([7]));
  acks.connected();
  acks.carriedOut(7);
  answers[0]?.();
  await eventually(() => expect(told).toEqual([7, 7]));
});
