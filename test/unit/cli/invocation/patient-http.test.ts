import { describe, expect, it, vi } from 'vitest';
import { tellLongWaits, waitOutLimits } from '#cli/invocation/patient-http';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';
import { createManualTime } from '../../../helpers/manual-time.ts';

const answer: HttpResponse = { status: 201, headers: {}, body: new Uint8Array() };
const request: HttpRequest = { method: 'PATCH', url: 'https://platform.test/api/variables?token=hush' };

function refusal(retryAfter?: string): HttpResponse {
  return {
    status: 429,
    headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
    body: new Uint8Array(),
  };
}

/** HTTP whose server gives these answers, then 201 without end. Time passes with each pause, and only then. */
function limited(answers: readonly HttpResponse[], timeoutMs?: number) {
  const { clock, pass } = createManualTime();
  const left = [...answers];
  const pauses: number[] = [];
  const told: string[] = [];
  const interruption = new AbortController();
  const server: Http = { send: async () => left.shift() ?? answer };
  const http = waitOutLimits(server, {
    clock,
    random: { hex: () => 'ffffffff', uuid: () => '', orderedUuid: () => '' },
    reporter: { info: (message) => told.push(message) },
    interrupted: interruption.signal,
    timeoutMs,
    async pause(ms) {
      pauses.push(ms);
      pass(ms);
    },
  });
  return { http, pauses, told, left, interrupt: () => interruption.abort() };
}

describe('a request that came too early', () => {
  it('is sent again when the server wants it, by seconds or by date, and that is said once', async () => {
    const { http, pauses, told } = limited([refusal('12'), refusal('Thu, 01 Jan 2026 00:00:20 GMT')]);
    expect(await http.send(request)).toBe(answer);
    expect(pauses).toEqual([12_000, 8_000]);
    expect(told).toEqual(['platform.test gets too many requests. Trying again in 12 s …']);
  });

  it('is sent again after growing pauses where the server names no time, or none at all', async () => {
    const { http, pauses } = limited([refusal(), refusal('0'), refusal('soon')]);
    expect(await http.send(request)).toBe(answer);
    expect(pauses).toEqual([500, 1_000, 2_000]);
  });

  it('is not worth a word within a second', async () => {
    const { http, told } = limited([refusal('0')]);
    await http.send(request);
    expect(told).toEqual([]);
  });

  it('is given up before a pause that ends after a minute', async () => {
    const { http, pauses } = limited([refusal('40'), refusal('30')]);
    expect(await http.send(request)).toMatchObject({ status: 429 });
    expect(pauses).toEqual([40_000]);
  });

  it('is given up when the time of the whole command would be up', async () => {
    const { http, pauses } = limited([refusal('50'), answer, refusal('60')], 100_000);
    expect(await http.send(request)).toBe(answer);
    expect(await http.send(request)).toMatchObject({ status: 429 });
    expect(pauses).toEqual([50_000]);
  });

  it('is given up when the command is interrupted', async () => {
    const { http, interrupt, left } = limited([refusal('1'), refusal('1')]);
    interrupt();
    expect(await http.send(request)).toMatchObject({ status: 429 });
    expect(left).toHaveLength(1);
  });

  it('does not touch every other answer', async () => {
    const busy = { ...answer, status: 503, headers: { 'retry-after': '5' } };
    const { http, pauses } = limited([busy]);
    expect(await http.send(request)).toBe(busy);
    expect(pauses).toEqual([]);
  });
});

const read: HttpRequest = { method: 'GET', url: 'http://platform.test:3310/api/me?token=hush' };

/** Sends requests at once that are answered after `ms`; resolves to what a person reads meanwhile. */
async function toldDuring(ms: number, ...requests: readonly HttpRequest[]): Promise<readonly string[]> {
  vi.useFakeTimers();
  try {
    const told: string[] = [];
    const slow: Http = { send: () => new Promise((resolve) => setTimeout(() => resolve(answer), ms)) };
    const http = tellLongWaits(slow, { info: (message) => told.push(message) });
    const sending = Promise.all(requests.map((sent) => http.send(sent)));
    await vi.advanceTimersByTimeAsync(ms);
    expect(await sending).toEqual(requests.map(() => answer));
    await vi.advanceTimersByTimeAsync(10_000);
    return told;
  } finally {
    vi.useRealTimers();
  }
}

describe('a long wait', () => {
  it('is reported once, by the host only', async () => {
    expect(await toldDuring(5_000, read)).toEqual(['Waiting for platform.test:3310 …']);
  });

  it('is reported once for several requests to one server, and for each server', async () => {
    const another = { ...read, url: 'http://another.test/api/me' };
    const told = await toldDuring(5_000, read, read, another);
    expect(told).toEqual(['Waiting for platform.test:3310 …', 'Waiting for another.test …']);
  });

  it('is not told when the answer comes within a second', async () => {
    expect(await toldDuring(900, read)).toEqual([]);
  });

  it('is left to the caller where the request has a deadline of its own', async () => {
    expect(await toldDuring(5_000, { ...read, deadlineMs: 25_000 })).toEqual([]);
  });
});
