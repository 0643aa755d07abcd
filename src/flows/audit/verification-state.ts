import path from 'node:path';
import * as z from 'zod';
import type { CheckpointKey } from '#contracts/audit/checkpoint';
import { type VerifiedPart, verifiedPartSchema } from '#contracts/audit/verified-part';
import type { ExportVerification } from '#contracts/audit/verify-export';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import type { FlowContext } from '../flow-context.ts';

/** Where an export goes on: behind a cursor of the platform, or behind that many bytes of a file. */
export type ExportPlace = string | number;

const stateSchema = z.strictObject({
  object: z.literal('verificationState'),
  version: z.literal(1),
  place: z.union([z.string(), z.int().nonnegative()]),
  part: verifiedPartSchema,
});

/** How often a long run writes down how far it is, in milliseconds. */
const keepEveryMs = 2_000;

/** A file that remembers how far a log was verified. It lies with whoever verifies, and nothing in it comes from there unverified. */
export class VerificationState {
  readonly #context: FlowContext;
  readonly #file: string;
  readonly place: ExportPlace | undefined;
  readonly part: VerifiedPart | undefined;
  #keptAt = Number.NEGATIVE_INFINITY;

  private constructor(context: FlowContext, file: string, state: z.output<typeof stateSchema> | undefined) {
    this.#context = context;
    this.#file = file;
    this.place = state?.place;
    this.part = state?.part;
  }

  /** A file that is not there yet remembers nothing. Throws `USAGE_INVALID`. */
  static async open(context: FlowContext, name: string): Promise<VerificationState> {
    const file = path.resolve(context.workingFolder, name);
    const text = await context.fs.readText(file);
    return new VerificationState(context, file, text === null ? undefined : parsed(text, name));
  }

  /** Throws `USAGE_INVALID` where it is of something else. @param chain Id of the log, where it is known. */
  requireSame(kind: 'cursor' | 'bytes', chain: string | undefined, keys: readonly CheckpointKey[]): void {
    const { part, place } = this;
    if (!part) return;
    if ((typeof place === 'string') !== (kind === 'cursor')) {
      const [here, there] = kind === 'cursor' ? ['the platform', 'a file'] : ['a file', 'the platform'];
      throw another(this.#file, `the log of ${there}, and this is ${here}`);
    }
    if (chain !== undefined && part.genesis.chain !== chain) throw another(this.#file, 'another log');
    const verifiers = keys.map(({ verifier }) => verifier);
    if (part.keys.length !== verifiers.length || !part.keys.every((key) => verifiers.includes(key))) {
      throw another(this.#file, 'what was verified with other public keys');
    }
  }

  /** Remember what was verified, now and then, and at the end. A problem is never remembered. */
  async keep(verification: ExportVerification, place: ExportPlace, isEnd: boolean): Promise<void> {
    const now = this.#context.clock.now();
    if (!isEnd && now - this.#keptAt < keepEveryMs) return;
    const part = verification.part(new Date(now).toISOString());
    if (!part) return;
    this.#keptAt = now;
    const state: z.output<typeof stateSchema> = { object: 'verificationState', version: 1, place, part };
    await this.#context.fs.writeAtomically(this.#file, `${JSON.stringify(state)}\n`, { mode: 0o600 });
  }
}

function parsed(text: string, name: string): z.output<typeof stateSchema> {
  try {
    return stateSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw cloudError(
      'USAGE_INVALID',
      `${name} does not say how far a log was verified: it was cut off, or somebody changed it.`,
      'Remove it, and verify the log from its first row.',
      { cause },
    );
  }
}

function another(file: string, what: string): CloudError {
  return cloudError('USAGE_INVALID', `${path.basename(file)} remembers ${what}.`, [
    'Name another file with --state.',
    'Run the command without --state to verify the log from its first row.',
  ]);
}
