import { z } from 'zod';
import { CloudError } from '#kernel/errors/cloud-error';
import { nearestName } from '#kernel/text/nearest-name';
import type { Caller } from '../../../customizer/caller.ts';
import type { CompiledCollection } from '../../../model/compiled-model.ts';
import { parseTimezone } from '../../request/query-parameters.ts';
import type { ToolCall } from './tool.ts';

export const collectionNameArgument = z.string().min(1).describe('Name of a collection.');

export const timezoneArgument = z
  .string()
  .default('UTC')
  .describe('IANA time zone of the user, for relative dates such as Today.');

const namesInError = 20;

/** The collection of that exact name. Throws `REQUEST_NOT_FOUND` with the names there are. */
export function collectionOf({ state }: ToolCall, name: string): CompiledCollection {
  const collection = state.model.collections.get(name);
  if (collection) return collection;
  const names = [...state.model.collections.keys()];
  const nearest = nearestName(name, names);
  const shown = names.slice(0, namesInError).join(', ');
  throw new CloudError({
    code: 'REQUEST_NOT_FOUND',
    message: `There is no collection "${name}".`,
    nextSteps: [
      nearest ? `Did you mean "${nearest}"?` : `There are: ${shown}${names.length > namesInError ? ', …' : ''}.`,
    ],
  });
}

export function callerOf({ claims, requestId }: ToolCall, timezone: string): Caller {
  return { ...claims, timezone: parseTimezone(timezone), requestId };
}
