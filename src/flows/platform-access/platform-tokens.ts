import path from 'node:path';
import * as z from 'zod';
import type { DevSession } from '#contracts/dev-session';
import type { Env } from '#kernel/ports/env';
import type { FlowContext } from '../flow-context.ts';
import { type KeychainContext, keepInKeychain, readKeychain } from './keychain.ts';

const signInSchema = z.object({
  project: z.string(),
  environment: z.string(),
  email: z.string(),
  /** `null`: it does not expire, or nobody knows. */
  expiresAt: z.iso.datetime().nullable(),
});

/** By address of the platform. The token is in the keychain of the system where it is not in the file. */
const fileSchema = z.record(z.string(), signInSchema.extend({ token: z.string().optional() }));

/** What is known of a sign-in without its token. */
export type SavedSignIn = z.infer<typeof signInSchema>;

/** Where tokens are kept. */
export type TokenPlace = 'keychain' | 'file';

/** A token that `login` was given. */
export interface SavedToken extends SavedSignIn {
  readonly token: string;
  readonly place: TokenPlace;
}

type SavingContext = Pick<FlowContext, 'fs' | 'homeFolder' | 'variables'> & KeychainContext;

/** Who has signed in to a platform, without asking the keychain; `undefined` for nobody. */
export async function findSavedSignIn(
  context: SavingContext,
  serverUrl: string,
): Promise<(SavedSignIn & { readonly place: TokenPlace }) | undefined> {
  const saved = (await readAll(context))[nameOf(serverUrl)];
  if (!saved) return undefined;
  const { token, ...signIn } = saved;
  return { ...signIn, place: token === undefined ? 'keychain' : 'file' };
}

/**
 * The token of a platform; `undefined` where nobody has signed in. It may have expired. Rejects with `CREDENTIALS_MISSING` when the
 * keychain does not give it.
 */
export async function findSavedToken(context: SavingContext, serverUrl: string): Promise<SavedToken | undefined> {
  const name = nameOf(serverUrl);
  const saved = (await readAll(context))[name];
  if (!saved) return undefined;
  const { token, ...signIn } = saved;
  if (token !== undefined) return { ...signIn, token, place: 'file' };
  return { ...signIn, token: await readKeychain(context, name), place: 'keychain' };
}

/** Keep a token in the keychain of the system, or if there is none in a file that only its owner can read. */
export async function saveToken(
  context: SavingContext,
  serverUrl: string,
  { token, ...signIn }: SavedSignIn & { readonly token: string },
): Promise<TokenPlace> {
  const name = nameOf(serverUrl);
  const place = (await keepInKeychain(context, name, token)) ? 'keychain' : 'file';
  const saved = place === 'keychain' ? signIn : { ...signIn, token };
  await writeAll(context, { ...(await readAll(context)), [name]: saved });
  return place;
}

/** Remove a token from the file and from the keychain. */
export async function forgetToken(context: SavingContext, serverUrl: string): Promise<void> {
  const name = nameOf(serverUrl);
  const { [name]: _forgotten, ...others } = await readAll(context);
  await writeAll(context, others);
  await context.keychain.remove(name);
}

/** Where the sign-ins are. */
export function savedTokensFile({ homeFolder, variables }: Pick<SavingContext, 'homeFolder' | 'variables'>): string {
  const configuration = variables['XDG_CONFIG_HOME'] || path.join(homeFolder, '.config');
  return path.join(configuration, 'vendor-cloud', 'tokens.json');
}

async function readAll(context: SavingContext): Promise<z.infer<typeof fileSchema>> {
  const text = await context.fs.readText(savedTokensFile(context));
  return text === null ? {} : fileSchema.catch({}).parse(parsed(text));
}

/** A file that somebody damaged holds no token; the next sign-in writes it again. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

async function writeAll(context: SavingContext, tokens: z.infer<typeof fileSchema>): Promise<void> {
  const file = savedTokensFile(context);
  await context.fs.makePrivateFolder(path.dirname(file));
  await context.fs.writeAtomically(file, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600 });
}

function nameOf(serverUrl: string): string {
  return URL.canParse(serverUrl) ? new URL(serverUrl).href.replace(/\/+$/, '') : serverUrl;
}

/** Where a token came from. */
export type TokenSource = 'variable' | '.env' | 'dev session' | TokenPlace;

export interface FoundToken {
  readonly source: TokenSource;
  readonly token: string;
  /** Whose it is, where that is written beside it. */
  readonly email?: string;
  readonly expiresAt?: string | null;
}

export interface TokenPlaces {
  readonly url: string;
  /** Variables of the process, then those of the project. */
  readonly env: Env;
  readonly session: DevSession['servers'] | undefined;
}

/**
 * The tokens for a platform, in the order in which they win: SERVICE_AUTH_TOKEN, the session of `dev` for its own platform, who has
 * signed in with `login`. Each is looked for only when it is asked for, because the keychain takes time.
 */
export async function* tokensFor(context: FlowContext, { url, env, session }: TokenPlaces): AsyncGenerator<FoundToken> {
  const given = env.get('SERVICE_AUTH_TOKEN');
  if (given) yield { source: context.variables['SERVICE_AUTH_TOKEN'] ? 'variable' : '.env', token: given };
  // The session's token is only for the session's server.
  if (session?.platformToken && url === session.sandboxUrl)
    yield { source: 'dev session', token: session.platformToken };
  const saved = await findSavedToken(context, url);
  if (!saved) return;
  const { place, token, email, expiresAt } = saved;
  yield { source: place, token, email, expiresAt };
}
