import path from 'node:path';
import { z } from 'zod';
import type { FlowContext } from '../flow-context.ts';

const savedTokenSchema = z.object({
  token: z.string(),
  project: z.string(),
  environment: z.string(),
  email: z.string(),
  expiresAt: z.iso.datetime(),
});

/** By address of the platform. */
const fileSchema = z.record(z.string(), savedTokenSchema);

/** A token that `login` was given. */
export type SavedToken = z.infer<typeof savedTokenSchema>;

type SavingContext = Pick<FlowContext, 'fs' | 'homeFolder' | 'variables'>;

/** The token of a platform; `undefined` where nobody has signed in. It may have expired. */
export async function findSavedToken(context: SavingContext, serverUrl: string): Promise<SavedToken | undefined> {
  return (await readAll(context))[keyOf(serverUrl)];
}

/** Keep a token in a file that its owner alone can read. */
export async function saveToken(context: SavingContext, serverUrl: string, token: SavedToken): Promise<void> {
  await writeAll(context, { ...(await readAll(context)), [keyOf(serverUrl)]: token });
}

export async function forgetToken(context: SavingContext, serverUrl: string): Promise<void> {
  const { [keyOf(serverUrl)]: _forgotten, ...others } = await readAll(context);
  await writeAll(context, others);
}

/** Where the tokens are. */
export function savedTokensFile({ homeFolder, variables }: SavingContext): string {
  const configuration = variables['XDG_CONFIG_HOME'] || path.join(homeFolder, '.config');
  return path.join(configuration, 'vendor-cloud', 'tokens.json');
}

async function readAll(context: SavingContext): Promise<z.infer<typeof fileSchema>> {
  const text = await context.fs.readText(savedTokensFile(context));
  return text === null ? {} : fileSchema.catch({}).parse(parsed(text));
}

/** A file that somebody damaged holds no token; the next sign-in writes it anew. */
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

function keyOf(serverUrl: string): string {
  return URL.canParse(serverUrl) ? new URL(serverUrl).href.replace(/\/+$/, '') : serverUrl;
}
