import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import * as z from 'zod';
import type { UserRecord } from '../identity/identity-repository.ts';
import { wrongAnswer } from './factor-errors.ts';
import type { NewFactor, Passkey } from './factor-repository.ts';

const kindOfKey = z.literal('public-key');
const extensions = z.record(z.string(), z.unknown()).default({});
const text = z.string().max(12_000);

/** What the browser says of a passkey that it has made. */
const createdSchema = z.object({
  id: text,
  rawId: text,
  type: kindOfKey,
  clientExtensionResults: extensions,
  response: z.object({
    clientDataJSON: text,
    attestationObject: text,
    transports: z.array(z.string().max(50)).max(10).optional(),
  }),
});

/** What the browser says of a passkey that has signed. */
const signedSchema = z.object({
  id: text,
  rawId: text,
  type: kindOfKey,
  clientExtensionResults: extensions,
  response: z.object({
    clientDataJSON: text,
    authenticatorData: text,
    signature: text,
    userHandle: text.nullish(),
  }),
});

/** Passkeys of one address of the platform, as WebAuthn has them. */
export interface Passkeys {
  /** The host that passkeys are made for; `undefined` where browsers make none. */
  host(): string | undefined;
  /** What a browser makes a passkey from. */
  askForNew(user: UserRecord, known: readonly Passkey[]): Promise<Question>;
  /** The passkey that the browser has made. Rejects with `SIGN_IN_REFUSED`. */
  readNew(answer: string, challenge: string, name: string): Promise<NewFactor & { readonly kind: 'passkey' }>;
  /** What a browser has one of the passkeys sign. */
  ask(known: readonly Passkey[]): Promise<Question>;
  /** The passkey that has signed, and what it counts. Rejects with `SIGN_IN_REFUSED`. */
  read(
    answer: string,
    challenge: string,
    known: readonly Passkey[],
  ): Promise<{ readonly passkey: Passkey; readonly counter: number }>;
}

interface Question {
  readonly challenge: string;
  /** For the browser, as JSON. */
  readonly options: string;
}

/** Somebody has given a password before, so that the device need not ask for a PIN. */
const requireUserVerification = false;
/** EdDSA, ES256 and RS256. By default the library tries for more, and Node.js warns of an experiment. */
const supportedAlgorithmIDs = [-8, -7, -257];

/** @param origin of the platform: `https://platform.example.com`. */
export function createPasskeys(origin: () => string): Passkeys {
  // It has a megabyte of code, and most sign-ins need none of it.
  const library = () => import('@simplewebauthn/server');
  const host = () => {
    const { hostname, protocol } = new URL(origin());
    const isSecure = protocol === 'https:' || hostname === 'localhost';
    return isSecure && isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? hostname : undefined;
  };
  const expected = (challenge: string) => ({
    expectedChallenge: challenge,
    expectedOrigin: origin(),
    expectedRPID: new URL(origin()).hostname,
    requireUserVerification,
  });
  return {
    host,
    askForNew: async (user, known) => {
      const { generateRegistrationOptions } = await library();
      const options = await generateRegistrationOptions({
        rpName: 'vendor-cloud',
        rpID: new URL(origin()).hostname,
        userName: user.email,
        userID: new TextEncoder().encode(`person ${user.id}`),
        excludeCredentials: known.map(({ credentialId: id }) => ({ id })),
        authenticatorSelection: { residentKey: 'preferred', userVerification: 'preferred' },
        supportedAlgorithmIDs,
      });
      return { challenge: options.challenge, options: JSON.stringify(options) };
    },
    readNew: async (answer, challenge, name) => {
      const { verifyRegistrationResponse } = await library();
      const response = read(createdSchema, answer) as RegistrationResponseJSON;
      const verified = await verifyRegistrationResponse({
        ...{ response, supportedAlgorithmIDs },
        ...expected(challenge),
      }).catch(refuse);
      if (!verified.verified) return refuse(undefined);
      const { id, publicKey, counter } = verified.registrationInfo.credential;
      return {
        ...{ kind: 'passkey', name, counter, credentialId: id, host: new URL(origin()).hostname },
        publicKey: Buffer.from(publicKey).toString('base64url'),
        transports: response.response.transports ?? [],
      };
    },
    ask: async (known) => {
      const { generateAuthenticationOptions } = await library();
      const options = await generateAuthenticationOptions({
        rpID: new URL(origin()).hostname,
        allowCredentials: known.map(({ credentialId: id, transports }) => ({ id, transports: [...transports] })),
        userVerification: 'discouraged',
      });
      return { challenge: options.challenge, options: JSON.stringify(options) };
    },
    read: async (answer, challenge, known) => {
      const { verifyAuthenticationResponse } = await library();
      const response = read(signedSchema, answer) as AuthenticationResponseJSON;
      const passkey = known.find(({ credentialId }) => credentialId === response.id);
      if (!passkey) return refuse(undefined);
      const credential = {
        id: passkey.credentialId,
        publicKey: new Uint8Array(Buffer.from(passkey.publicKey, 'base64url')),
        counter: passkey.counter,
        transports: [...passkey.transports],
      };
      const verified = await verifyAuthenticationResponse({ response, credential, ...expected(challenge) }).catch(
        refuse,
      );
      if (!verified.verified) return refuse(undefined);
      return { passkey, counter: verified.authenticationInfo.newCounter };
    },
  };
}

function read<Shape extends z.ZodType>(shape: Shape, answer: string): z.infer<Shape> {
  try {
    return shape.parse(JSON.parse(answer));
  } catch (error) {
    return refuse(error);
  }
}

function refuse(cause: unknown): never {
  throw wrongAnswer(
    'The passkey was not accepted: it is not one of yours, or the page was open for too long.',
    'Try again, or use another factor.',
    cause,
  );
}
