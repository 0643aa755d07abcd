import type { IncomingMessage, ServerResponse } from 'node:http';
import * as z from 'zod';
import { mcpCallbackPath } from '#contracts/sign-in';
import { isCloudError } from '#kernel/errors/cloud-error';
import { createSealedTexts } from '#node/system/secrets';
import { createSealedSignIns, signInCookie } from '../../sign-in/sealed-sign-in.ts';
import { issuerOf } from '../mcp-routes.ts';
import { askPlatform } from './ask-platform.ts';
import { addCookie, cookieOf, queryOf, redirectTo, sendProblemPage } from './oauth-http.ts';
import { consentSeconds, type McpAuthorizationOptions } from './oauth-options.ts';

/** Who has signed in at the platform for an authorization; nobody where the platform or the person has refused. */
interface SignedInPerson {
  readonly personId: number | undefined;
  /** When what they grant has to end, in seconds since the epoch; `undefined` where the sign-in bounds nothing. */
  readonly endsAt: number | undefined;
  /** The cookie that says so. */
  readonly cookie: string;
}

/** Signs people in at the platform, for one authorization each and in one browser. */
export interface PersonSignIn {
  /** Send the browser to the platform. */
  begin(response: ServerResponse, uid: string): Promise<void>;
  /** The browser comes back from the platform, and goes on to the page that asks. */
  finish(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** The person has answered: forget who it was. */
  end(response: ServerResponse, uid: string): void;
  /** Who has signed in; `undefined` before that. */
  find(request: IncomingMessage, uid: string): Promise<SignedInPerson | undefined>;
}

const cookieName = 'mcp_person';
const personSchema = z.object({ uid: z.string(), personId: z.int().optional(), endsAt: z.number().optional() });

export function createPersonSignIn(options: McpAuthorizationOptions): PersonSignIn {
  const { place, authSecret, platform, clock, random, logger } = options;
  const secretsOf = createSealedSignIns(authSecret, clock);
  const people = createSealedTexts(authSecret, 'mcp person');
  const callbackUrl = issuerOf(place) + mcpCallbackPath;
  const callbackPath = place.basePath + mcpCallbackPath;
  const consentPath = (uid: string) => `${place.basePath}/oauth/consent/${uid}`;
  const isSecure = place.origin.startsWith('https:');

  const personOf = (query: URLSearchParams, secrets: NonNullable<Awaited<ReturnType<typeof secretsOf.open>>>) =>
    askPlatform(async () => {
      try {
        return await platform.signIn.finish(query, secrets, callbackUrl);
      } catch (error) {
        if (!isCloudError(error) || error.code !== 'SIGN_IN_REFUSED') throw error;
        logger.log('Debug', 'Somebody did not sign in for an MCP client.', { error });
        return undefined;
      }
    });

  return {
    async begin(response, uid) {
      const id = random.hex(16);
      const state = `${uid}.${id}`;
      const begun = await askPlatform(() => platform.signIn.begin(state, callbackUrl));
      const { authorizationUrl, ...secrets } = begun;
      const cookie = { name: signInCookie(id), path: callbackPath, ...(await secretsOf.seal(secrets)) };
      addCookie(response, cookie, isSecure);
      redirectTo(response, authorizationUrl);
    },
    async finish(request, response) {
      const query = new URLSearchParams(queryOf(request));
      const state = query.get('state') ?? '';
      const [uid = '', id = ''] = state.split('.');
      const name = signInCookie(id);
      const secrets = await secretsOf.open(cookieOf(request, name));
      if (secrets?.state !== state || !/^[\w-]+$/.test(uid)) {
        return sendProblemPage(response, 400, 'The sign-in was not begun in this browser, or it has taken too long.');
      }
      const { personId, endsAt } = (await personOf(query, secrets)) ?? {};
      const path = consentPath(uid);
      const value = await people.seal(JSON.stringify({ uid, personId, endsAt }));
      addCookie(response, { name, value: '', path: callbackPath, maxAgeSeconds: 0 }, isSecure);
      addCookie(response, { name: cookieName, value, path, maxAgeSeconds: consentSeconds }, isSecure);
      redirectTo(response, path);
    },
    end: (response, uid) =>
      addCookie(response, { name: cookieName, value: '', path: consentPath(uid), maxAgeSeconds: 0 }, isSecure),
    async find(request, uid) {
      const cookie = cookieOf(request, cookieName);
      const opened = cookie === undefined ? undefined : await people.open(cookie);
      if (cookie === undefined || opened === undefined) return undefined;
      const person = personSchema.parse(JSON.parse(opened));
      return person.uid === uid ? { personId: person.personId, endsAt: person.endsAt, cookie } : undefined;
    },
  };
}
