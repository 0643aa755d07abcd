import { strict as assert } from 'node:assert';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { type Browser, createBrowser } from '../../test/helpers/browser.ts';
import { DevProcess } from '../../test/helpers/dev-process.ts';
import { firstAdministrator, postSetup } from '../../test/helpers/team-server.ts';
import { holdSlowly } from './slow-clients.ts';
import { flooded, type Stops, type Subject, type Tally } from './subject.ts';

const bin = path.resolve(import.meta.dirname, '../../bin/vendor-cloud.js');
/** Each signs in every five seconds, from an address of its own. */
const honestPeople = 10;
const everyMs = 5_000;
/** Requests a second of a stranger. */
const hostileRate = 500;
/** How many answers a stranger waits for at most. */
const hostileInFlight = 2_000;

/** A platform of a team behind a proxy that tells the addresses of clients. */
export async function openPlatformSubject(folder: string, stops: Stops): Promise<Subject> {
  const parameters = ['platform', 'start', '--listen', '127.0.0.1:0', '--trusted-proxy', '127.0.0.1'];
  const platform = new DevProcess(bin, parameters, { cwd: folder });
  stops.push(() => platform.interrupt());
  const url = String((await platform.next('listening'))['url']);
  const link = new URL(String((await platform.next('setup'))['url']));
  const made = await postSetup(url, { secret: link.hash.slice(1), ...firstAdministrator });
  assert.equal(made.status, 201, 'The platform cannot be set up.');
  const dispatcher = new Agent({ connections: 256 });
  stops.push(() => dispatcher.destroy());

  const guess = async (addresses: number, signal: AbortSignal) => {
    const { page, browser } = await openPage(url, '198.51.100.1');
    const cookie = browser.cookieHeader(page);
    return atRate(hostileRate, signal, async (turn) => {
      const email = turn % 2 === 0 ? firstAdministrator.email : `nobody-${turn}@example.test`;
      const answer = await request(page, {
        method: 'POST',
        headers: {
          cookie,
          origin: url,
          'content-type': 'application/x-www-form-urlencoded',
          'x-forwarded-for': `198.51.100.${1 + (turn % addresses)}`,
        },
        body: new URLSearchParams({ email, password: `guess ${turn}` }).toString(),
        dispatcher,
        signal,
      });
      await answer.body.dump();
    });
  };
  const device = async (turn: number, signal: AbortSignal) => {
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'x-forwarded-for': `198.51.100.${1 + (turn % 200)}`,
    };
    const body = 'client_id=vendor-cloud&scope=openid';
    const answer = await request(`${url}/oidc/device/auth`, { method: 'POST', headers, body, dispatcher, signal });
    await answer.body.dump();
  };

  return {
    name: 'platform',
    honest: async (signal, tally) => {
      await Promise.all(
        Array.from({ length: honestPeople }, async (_none, person) => {
          await pause((everyMs / honestPeople) * person);
          while (!signal.aborted) {
            const next = pause(everyMs);
            await signIn(url, `203.0.113.${1 + person}`, tally);
            await next;
          }
        }),
      );
    },
    floods: {
      guessesOfOneAddress: (signal) => guess(1, signal),
      guessesOf200Addresses: (signal) => guess(200, signal),
      deviceCodes: (signal) => {
        let turn = 0;
        return flooded(20, signal, () => device(turn++, signal));
      },
      slowBodies: async (signal) => {
        await holdSlowly(new URL(url), 300, signal);
        return 300;
      },
    },
  };
}

/** Send requests at a steady rate, whether answers come or not; how many. */
async function atRate(perSecond: number, signal: AbortSignal, send: (turn: number) => Promise<void>): Promise<number> {
  const begun = performance.now();
  let sent = 0;
  let inFlight = 0;
  while (!signal.aborted) {
    const due = Math.floor(((performance.now() - begun) / 1000) * perSecond);
    for (; sent < due && inFlight < hostileInFlight; sent++) {
      inFlight++;
      send(sent)
        .catch(() => undefined)
        .finally(() => inFlight--);
    }
    await pause(5);
  }
  return sent;
}

async function openPage(url: string, from: string): Promise<{ readonly page: string; readonly browser: Browser }> {
  const browser = createBrowser({ 'x-forwarded-for': from });
  const { url: page } = await browser.follow(`${url}/settings/tokens`, () => false);
  assert.match(page, /\/sign-in\//);
  return { page, browser };
}

/** Sign in from beginning to end, with the right password. */
async function signIn(url: string, from: string, tally: Tally): Promise<void> {
  const { email, password } = firstAdministrator;
  const begun = performance.now();
  try {
    const { page, browser } = await openPage(url, from);
    const headers = { origin: url };
    const answer = await browser.open(page, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ email, password }),
    });
    tally.millis.push(performance.now() - begun);
    if (answer.status !== 303) tally.refused.push(String(answer.status));
  } catch (error) {
    tally.refused.push(String(error));
  }
}
