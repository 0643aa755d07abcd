import * as z from 'zod';
import { cloudError } from '#kernel/errors/cloud-error';
import { invalidRequest } from '#kernel/errors/request-errors';
import { parseExactly } from '#kernel/json/read-json';
import type { RecordData } from '../../../query/record-query.ts';
import type { CallContext } from '../../../records/calls/call-context.ts';
import { callerOf } from './arguments.ts';
import type { ToolCall } from './tool.ts';

/** An object, or the JSON text of one: some models send texts. */
export const objectArgument = z.union([z.looseObject({}), z.string()]);

/** Check only; nothing is written. */
export const dryRunArgument = z.boolean().optional();

/** Values by field, or their JSON. */
export const ifMatchArgument = objectArgument.optional();

/** How to read `ifMatch`, where it is given. */
export function readIfMatch(sent: z.output<typeof ifMatchArgument>): (() => RecordData) | undefined {
  return sent === undefined ? undefined : () => readObject('ifMatch', sent);
}

/** Of the answer before. */
export const confirmationTokenArgument = z.string().optional();

/** The same key gets the same answer for 24 hours. */
export const idempotencyKeyArgument = z.string().min(1).optional();

/** The context of a write. */
export function writeContext(call: ToolCall): CallContext {
  return { caller: callerOf(call), signal: call.signal, notes: call.notes, noteCodeRead: call.seen.noteCodeRead };
}

/** The members of an object argument. Throws `REQUEST_INVALID`, which names the argument or the member. */
export function readObject(argument: string, sent: unknown): RecordData {
  const object = typeof sent === 'string' ? parsed(argument, sent) : sent;
  if (typeof object !== 'object' || object === null || Array.isArray(object)) throw notAnObject(argument);
  for (const [name, value] of Object.entries(object)) requireExact(name, value);
  return object as RecordData;
}

function parsed(argument: string, text: string): unknown {
  try {
    return parseExactly(text);
  } catch {
    throw notAnObject(argument);
  }
}

function notAnObject(argument: string) {
  return invalidRequest(`The argument "${argument}" must be an object.`, 'Send an object, or the JSON text of one.');
}

/** Digits that no number of JSON holds have been rounded before they came here. */
function requireExact(name: string, value: unknown): void {
  if (!Number.isInteger(value) || Number.isSafeInteger(value)) return;
  throw cloudError(
    'REQUEST_INVALID',
    `The number in "${name}" has more digits than a JSON number holds.`,
    'Send its digits as a text.',
    { details: { field: name } },
  );
}
