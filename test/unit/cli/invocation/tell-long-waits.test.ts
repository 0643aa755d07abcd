import { describe, expect, it, vi } from 'vitest';
import { tellLongWaits } from '#cli/invocation/patient-http';
import type { Http, HttpRequest, HttpResponse } from '#kernel/ports/http';

const answer: HttpResponse = { status: 200, headers: {}, body: new Uint8Array() };
const request: HttpRequest = { method: 'GET', url: 'http://platform.test:3310/api/me?token=hush' };

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
    expect(await toldDuring(5_000, request)).toEqual(['Waiting for platform.test:3310 …']);
  });

  it('is reported once for several requests to one server, and for each server', async () => {
    const another = { ...request, url: 'http://another.test/api/me' };
    const told = await toldDuring(5_000, request, request, another);
    expect(told).toEqual(['Waiting for platform.test:3310 …', 'Waiting for another.test …']);
  });

  it('is not told when the answer comes within a second', async () => {
    expect(await toldDuring(900, request)).toEqual([]);
  });

  it('is left to the caller where the request has a deadline of its own', async () => {
    expect(await toldDuring(5_000, { ...request, deadlineMs: 25_000 })).toEqual([]);
  });
});
